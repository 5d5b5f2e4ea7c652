/** From years to months and days, and from folders to those below: by click, or with Enter on a bar. */
import { type ChartData, type DrillData, dateChart, drawn, folderChart, tableRows } from '../charts.ts';

/** Shows a state of something by its name: a place in a chart, a text that is searched for. */
export type NamedView = readonly [name: string, show: (state: string) => void];

/** The chart of a place; undefined where there is none. */
type ChartAt = (place: string) => ChartData | undefined;

export function offerDrilling(): readonly NamedView[] {
  const data = JSON.parse(document.getElementById('drill-data')?.textContent ?? '{}') as DrillData;
  const charts: Readonly<Record<string, ChartAt>> = {
    dates: (place) => dateChart(data.dates, place),
    folders: (place) => folderChart(data.folders, place),
  };
  return [...document.querySelectorAll<HTMLElement>('figure[data-drill]')].map((figure) => {
    const name = figure.dataset['drill'] ?? '';
    return [name, drillable(figure, name, charts[name]!)] as const;
  });
}

/** The places above a place, the top first, and itself: `''`, `2024`, `2024-05`. */
function pathTo(place: string): readonly string[] {
  const ends = Array.from(place.matchAll(/[-.]|$/g), ({ index }) => place.slice(0, index));
  return [...new Set(['', ...ends])];
}

function drillable(figure: HTMLElement, name: string, chartAt: ChartAt): (place: string) => void {
  const drawing = figure.querySelector<HTMLElement>('.drawing')!;
  const body = figure.querySelector('tbody')!;
  const crumbs = document.createElement('nav');
  crumbs.className = 'crumbs';
  crumbs.setAttribute('aria-label', `Where in the chart: ${figure.querySelector('h3')?.textContent}`);
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  status.className = 'hint';
  const frame = figure.querySelector('.with-beside')!;
  frame.before(crumbs);
  frame.after(status);
  let current = '';
  let isByKey = false;

  const go = (place: string): void => {
    location.hash = `${name}=${place}`;
  };
  const keyOf = ({ target }: Event): string | undefined =>
    (target instanceof Element ? target.closest<SVGElement>('[data-key]') : null)?.dataset['key'];
  drawing.addEventListener('click', (event) => {
    const key = keyOf(event);
    isByKey = false;
    if (key !== undefined) go(key);
  });
  drawing.addEventListener('keydown', (event) => {
    isByKey = true;
    if (event.key === 'Escape' && current !== '') go(pathTo(current).at(-2) ?? '');
    const key = keyOf(event);
    if (key === undefined || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    go(key);
  });

  const decorate = (): void => {
    const bars = [...drawing.querySelectorAll<SVGElement>('.bar[data-key]')];
    // The content of an image is not there for a screen reader, and these can be used.
    if (bars.length > 0) drawing.querySelector('svg')?.setAttribute('role', 'group');
    for (const bar of bars) {
      bar.setAttribute('role', 'button');
      bar.setAttribute('tabindex', '0');
      bar.setAttribute('aria-label', bar.querySelector('title')?.textContent ?? '');
    }
  };
  const showPath = (): void => {
    const path = pathTo(current);
    const list = document.createElement('ol');
    list.append(
      ...path.map((place, index) => {
        const item = document.createElement('li');
        const isLast = index === path.length - 1;
        const step = document.createElement(isLast ? 'span' : 'a');
        if (step instanceof HTMLAnchorElement) step.href = `#${name}=${place}`;
        else step.setAttribute('aria-current', 'page');
        const text = document.createElement('bdi');
        text.textContent = chartAt(place)?.place ?? '';
        step.append(text);
        item.append(step);
        return item;
      }),
    );
    crumbs.replaceChildren(list);
    crumbs.hidden = path.length === 1;
    const canDrill = drawing.querySelector('.bar[data-key]') !== null;
    status.textContent = canDrill
      ? 'Choose a bar to look into it.'
      : current === ''
        ? ''
        : 'This is the last level.';
  };

  decorate();
  showPath();
  return (place) => {
    const chart = chartAt(place);
    if (chart === undefined) return;
    current = place;
    drawing.innerHTML = drawn(chart);
    body.innerHTML = tableRows(chart);
    decorate();
    showPath();
    if (isByKey) {
      const bar = drawing.querySelector<SVGElement>('.bar[data-key]');
      (bar ?? crumbs.querySelector('a'))?.focus();
    }
    isByKey = false;
    figure.scrollIntoView({ block: 'nearest' });
  };
}
