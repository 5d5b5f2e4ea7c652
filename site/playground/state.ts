/** The state of one page, and everything that its user can do. */
import { inputActions } from './input-actions.ts';
import { resultActions } from './result-actions.ts';
import { sharingActions } from './sharing-actions.ts';
import { createStore } from './store.ts';

export function usePlayground() {
  const store = createStore();
  const input = inputActions(store);
  return {
    ...store,
    ...input,
    ...resultActions(store, input.select),
    ...sharingActions(store),
    close(): void {
      input.stopEditing();
      store.client.close();
    },
  };
}

/** Everything that the parts of the page share. */
export type Playground = ReturnType<typeof usePlayground>;
