import type { JSX } from "preact";
import { readOrderBy, writeOrderBy } from "../../query/order-by-text.ts";
import { Button } from "../button.tsx";
import { TextField } from "../field.tsx";
import { Pick, Remove } from "../pick.tsx";

/** Edits the order of the rows: its keys, or the text that is more than keys. */
export function OrderBuilder(props: {
  readonly paths: readonly string[];
  readonly text: string;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const { paths, text, onChange } = props;
  const keys = readOrderBy(text);
  if (keys === null) return <TextField label="Order as text" isLabelHidden isCode value={text} onInput={onChange} />;
  const free = paths.find((path) => !keys.some((key) => key.path === path));
  return (
    <div class="query-rows">
      {keys.map((key, index) => {
        const change = (path: string, isDescending: boolean): void =>
          onChange(writeOrderBy(keys.with(index, { path, isDescending })));
        return (
          <div class="filter-row" key={index}>
            <Pick label="Sort by" value={key.path} choices={paths} onPick={(path) => change(path, key.isDescending)} />
            <Pick
              label={`Direction of ${key.path}`}
              value={key.isDescending ? "descending" : "ascending"}
              choices={["ascending", "descending"]}
              onPick={(direction) => change(key.path, direction === "descending")}
            />
            <Remove
              what={`the order by ${key.path}`}
              onRemove={() => onChange(writeOrderBy(keys.toSpliced(index, 1)))}
            />
          </div>
        );
      })}
      <Button
        icon="add"
        disabled={free === undefined}
        onClick={() => {
          if (free !== undefined) onChange(writeOrderBy([...keys, { path: free, isDescending: false }]));
        }}
      >
        Key
      </Button>
    </div>
  );
}
