/** How the user goes through what was found. */
import type { Severity } from '../../src/check/rule.ts';
import { ALL, type FindingRow, type ItemRow, type ListName, type RowPlace } from './messages.ts';
import type { Store } from './store.ts';

/** @param select - shows another document */
export function resultActions(store: Store, select: (id: number) => Promise<void>) {
  const { client, selectedId, view, severity, chosen, finding, item, target, result, version, columns } =
    store;
  let serial = 0;

  async function goTo(id: number, offset: number, line: number | undefined, column: number): Promise<void> {
    const place = await client.ask<RowPlace>({ type: 'row-at', document: id, offset });
    if ((view.value !== 'items' && view.value !== 'repairs') || isNarrow()) view.value = 'text';
    target.value = {
      ...place,
      document: id,
      line,
      fieldColumn: line === undefined ? place.column + 1 : column,
      serial: ++serial,
    };
  }

  return {
    /** Shows the findings or what was repaired, with their marks in the text. */
    async showMarked(list: 'findings' | 'repairs'): Promise<void> {
      await client.ask({ type: 'mark', list });
      chosen.finding = -1;
      finding.value = undefined;
      view.value = list;
      version.value++;
    },

    filter(wanted: Severity | undefined): void {
      severity.value = wanted;
      chosen.finding = -1;
      version.value++;
    },

    async chooseFinding(index: number, row: FindingRow): Promise<void> {
      chosen.finding = index;
      finding.value = row;
      item.value = undefined;
      if (row.document === undefined) return;
      await select(row.document);
      if (row.offset !== undefined) await goTo(row.document, row.offset, row.line, row.column ?? 1);
    },

    async chooseItem(index: number, row: ItemRow): Promise<void> {
      chosen.item = index;
      item.value = row;
      if (row.offset !== undefined) await goTo(selectedId.value, row.offset, undefined, 1);
    },

    /** A mark in the text was clicked: marks are numbered by the unfiltered list. */
    async chooseMark(index: number): Promise<void> {
      severity.value = undefined;
      const list = view.value === 'repairs' ? 'repairs' : 'findings';
      view.value = list;
      const [row] = await client.ask<FindingRow[]>({
        type: 'rows',
        list,
        document: ALL,
        from: index,
        to: index + 1,
      });
      if (row === undefined) return;
      chosen.finding = index;
      finding.value = row;
    },

    /** Another width of the text: the worker cuts it again. */
    async setColumns(wanted: number): Promise<void> {
      if (wanted === columns.value) return;
      columns.value = wanted;
      if (result.value === undefined) return;
      const counts = new Map(await client.ask<[number, number][]>({ type: 'wrap', columns: wanted }));
      const { value } = result;
      if (value === undefined || wanted !== columns.value) return;
      const wrapped = value.documents.map((each) => ({ ...each, rows: counts.get(each.id) ?? each.rows }));
      result.value = { ...value, documents: wrapped };
      version.value++;
    },

    load(list: ListName, from: number, to: number): Promise<readonly unknown[]> {
      const isFindings = list === 'findings';
      return client.ask({
        type: 'rows',
        list,
        document: isFindings ? ALL : selectedId.value,
        severity: isFindings ? severity.value : undefined,
        from,
        to,
      });
    },
  };
}

/** Whether the text and the results are shown one at a time. */
function isNarrow(): boolean {
  return matchMedia('(max-width: 959px)').matches;
}
