/**
 * Drills down from years to months and days, and from folders to the folders below: by a click, or with Enter on a bar.
 */
import { type ChartData, chartMarkup, type DrillData, dateChart, folderChart, tableRows } from '../charts.ts';

/** Creates an element with properties and children. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: readonly Node[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A part of the report with a state in the address: a place in a chart, or the text of a search. */
export type NamedView = readonly [name: string, show: (state: string) => void];

/** The chart of a place; undefined if there is none. */
type ChartAt = (place: string) => ChartData | undefined;

export function offerDrilling(): readonly NamedView[] {
  // `drillData` wrote it.
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

/** The places on the way to a place, from the top to itself: `''`, `2024`, `2024-05`. */
function pathTo(place: string): readonly string[] {
  const ends = Array.from(place.matchAll(/[-.]|$/g), ({ index }) => place.slice(0, index));
  return [...new Set(['', ...ends])];
}

function drillable(figure: HTMLElement, name: string, chartAt: ChartAt): (place: string) => void {
  const drawing = figure.querySelector<HTMLElement>('.drawing')!;
  const body = figure.querySelector('tbody')!;
  const ariaLabel = `Where in the chart: ${figure.querySelector('h3')?.textContent}`;
  const crumbs = createElement('nav', { className: 'crumbs', ariaLabel });
  const status = createElement('p', { role: 'status', className: 'hint' });
  const frame = figure.querySelector('.with-beside')!;
  frame.before(crumbs);
  frame.after(status);
  let current = '';
  /** Whether the place was chosen here, and not by the address of the page. */
  let isChosen = false;

  const go = (place: string): void => {
    location.hash = `${name}=${place}`;
  };
  const keyOf = ({ target }: Event): string | undefined =>
    (target instanceof Element ? target.closest<SVGElement>('[data-key]') : null)?.dataset['key'];
  // Not only in the drawing: the path above is used as well, and has the focus at the last level.
  figure.addEventListener('click', (event) => {
    isChosen = true;
    const key = keyOf(event);
    if (key !== undefined) go(key);
  });
  figure.addEventListener('keydown', (event) => {
    isChosen = true;
    if (event.key === 'Escape' && current !== '') go(pathTo(current).at(-2) ?? '');
    const key = keyOf(event);
    if (key === undefined || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    go(key);
  });

  const decorate = (): void => {
    const bars = [...drawing.querySelectorAll<SVGElement>('.bar[data-key]')];
    // Screen readers ignore the content of an image, but these bars are buttons.
    if (bars.length > 0) drawing.querySelector('svg')?.setAttribute('role', 'group');
    for (const bar of bars) {
      const ariaLabel = bar.querySelector('title')?.textContent ?? '';
      Object.assign(bar, { role: 'button', tabIndex: 0, ariaLabel });
    }
  };
  const showPath = (): void => {
    const path = pathTo(current);
    const steps = path.map((place, index) => {
      const text = createElement('bdi', { textContent: chartAt(place)?.place ?? '' });
      const isLast = index === path.length - 1;
      const step = isLast
        ? createElement('span', { ariaCurrent: 'page' })
        : createElement('a', { href: `#${name}=${place}` });
      step.append(text);
      return createElement('li', {}, step);
    });
    crumbs.replaceChildren(createElement('ol', {}, ...steps));
    crumbs.hidden = path.length === 1;
    const canDrill = drawing.querySelector('.bar[data-key]') !== null;
    status.textContent = canDrill
      ? 'Choose a bar to see its details.'
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
    drawing.innerHTML = chartMarkup(chart);
    body.innerHTML = tableRows(chart);
    decorate();
    showPath();
    // What had the focus is gone, and keys are heard in the figure alone.
    if (isChosen) {
      const bar = drawing.querySelector<SVGElement>('.bar[data-key]');
      (bar ?? crumbs.querySelector('a'))?.focus();
    }
    isChosen = false;
    figure.scrollIntoView({ block: 'nearest' });
  };
}
