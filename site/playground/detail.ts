/** The finding or the page that was chosen, in full. */
import { withBase } from 'vitepress';
import { h, type VNode } from 'vue';
import type { RelatedPlace } from '../../src/check/rule.ts';
import type { FindingRow } from './messages.ts';
import { severityLabel } from './severity-icon.ts';
import type { Playground } from './state.ts';
import { counted } from './wording.ts';

/** How many other places are listed. */
const MOST_RELATED = 10;

export function detail({ view, finding, item }: Playground, className = ''): VNode | undefined {
  if (view.value === 'items' && item.value !== undefined) {
    const { url, lastModified, more } = item.value;
    return h('div', { class: ['detail', className] }, [
      h('p', [h('bdi', { dir: 'ltr' }, url)]),
      h('p', [h('bdi', [lastModified, more].filter(Boolean).join(' · '))]),
    ]);
  }
  return view.value === 'items' || finding.value === undefined
    ? undefined
    : findingDetail(finding.value, className);
}

function findingDetail(finding: FindingRow, className: string): VNode {
  const { rule, severity, message, page, related = [], count } = finding;
  const others = related
    .slice(0, MOST_RELATED)

    .map((place) =>
      h('li', [h('bdi', { dir: 'ltr' }, whereOf(place)), ' ', h('bdi', { dir: 'ltr' }, place.message ?? '')]),
    );
  return h('div', { class: ['detail', className] }, [
    h('p', [
      severityLabel(severity),
      ' ',
      h('a', { href: ruleLink(rule), target: '_blank', rel: 'noopener' }, `${rule}: why, and how to fix it`),
    ]),
    h('p', [h('bdi', { dir: 'ltr' }, message)]),
    page === undefined ? undefined : h('p', ['Page: ', h('bdi', { dir: 'ltr' }, page)]),
    ...(others.length === 0
      ? []
      : [
          h('p', count === undefined ? 'See also:' : `${counted(count, 'place')}, among them:`),
          h('ul', others),
        ]),
  ]);
}

function whereOf({ document, line, column }: RelatedPlace): string {
  return line === undefined ? document : `${document} ${line}:${column ?? 1}`;
}

function ruleLink(rule: string): string {
  return withBase(`/check-rules.html#${rule}`);
}
