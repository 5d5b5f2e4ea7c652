/** A severity as a picture and a word: colour alone says nothing to many people. */
import { h, type VNode } from 'vue';
import type { Severity } from '../../src/check/rule.ts';

const PATHS: Readonly<Record<Severity, string>> = {
  error: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm3 9-1 1-2-2-2 2-1-1 2-2-2-2 1-1 2 2 2-2 1 1-2 2 2 2Z',
  warning: 'M8 1 0.8 14.5h14.4L8 1Zm-.8 5h1.6v4.5H7.2V6Zm0 5.5h1.6V13H7.2v-1.5Z',
  info: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.8 3h1.6v1.6H7.2V4Zm0 3h1.6v5H7.2V7Z',
};

export function severityIcon(severity: Severity): VNode {
  return h('svg', { class: ['icon', severity], viewBox: '0 0 16 16', 'aria-hidden': 'true' }, [
    h('path', { d: PATHS[severity], 'fill-rule': 'evenodd' }),
  ]);
}

export function severityLabel(severity: Severity): VNode {
  return h('span', { class: ['severity', severity] }, [severityIcon(severity), severity]);
}
