/** Severities as a report shows them: never by colour alone. */
import type { Severity } from '../../check/rule.ts';
import { count } from '../../problems/wording.ts';

export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

const ICONS: Readonly<Record<Severity | 'ok', string>> = {
  error: 'M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2ZM5.7 5.7l4.6 4.6m0-4.6-4.6 4.6',
  warning: 'M8 1.5 15.2 14H.8ZM8 6v4m0 1.6v.8',
  info: 'M8 1a7 7 0 1 0 .01 0ZM8 7v4.6M8 4v1',
  ok: 'M8 1a7 7 0 1 0 .01 0ZM4.8 8.2l2.2 2.2 4.2-4.6',
};

/** The icon of a severity. */
export function icon(severity: Severity | 'ok'): string {
  return (
    `<svg class="icon ${severity}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">` +
    `<path d="${ICONS[severity]}"/></svg>`
  );
}

/** Icon and word. */
export function badge(severity: Severity): string {
  return `<span class="badge ${severity}">${icon(severity)} ${severity}</span>`;
}

/** `3 errors` */
export function severityCount(severity: Severity, value: number): string {
  return count(value, severity, severity === 'info' ? 'infos' : `${severity}s`);
}
