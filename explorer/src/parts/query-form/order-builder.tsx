import type { JSX } from "preact";
import { readOrderBy, type SortKey, writeOrderBy } from "../../query/order-by-text.ts";
import { ListEditor, OptionEditor, type OptionText, Pick } from "./option-editor.tsx";

/** Edits the order of the rows: its keys, or the text that is more than keys. */
export function OrderBuilder({ paths, ...option }: OptionText & { readonly paths: readonly string[] }): JSX.Element {
  const keys = paths.flatMap((path) => [false, true].map((isDescending) => ({ path, isDescending })));
  const others = (chosen: readonly SortKey[]) => keys.filter(({ path }) => !chosen.some((key) => key.path === path));
  const choices = keys.map((key) => [writeOrderBy([key]), key] as const);
  return (
    <OptionEditor label="Order" read={readOrderBy} write={writeOrderBy} {...option}>
      {(chosen, change) => (
        <ListEditor
          what="key"
          items={chosen}
          row={(key, pick) => <Pick label="Sort by" value={writeOrderBy([key])} {...{ choices }} onPick={pick} />}
          added={Array.from(others(chosen).slice(0, 1), (key) => ["Key", key])}
          onChange={change}
        />
      )}
    </OptionEditor>
  );
}
