import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField } from "../../parts/field.tsx";
import { readExpand, writeExpand } from "../../query/expand-tree.ts";
import { withOptions } from "../../state/view.ts";
import { cellNode, chosenNames, MOST_COLUMNS, namesInOrder } from "./column.ts";
import type { GridProps } from "./grid-props.ts";

/** Shows a form for the columns and their order: properties become `$select`, relations become `$expand`. */
export function ColumnsDialog(props: GridProps & { readonly onClose: () => void }): JSX.Element {
  const { session, view, query, onClose } = props;
  const { type, set } = query.place;
  const all = namesInOrder(type);
  const begin = chosenNames(view.options) ?? all.slice(0, MOST_COLUMNS);
  const nodes = readExpand(view.options.get("$expand") ?? "") ?? [];
  const [names, setNames] = useState(() => [...new Set([...begin, ...all])]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set([...begin, ...nodes.map(({ path }) => path)]),
  );
  const navigations = [...type.navigations.values()].filter(({ name }) => set?.abilities.expandable(name) ?? true);
  const show = (): void => {
    onClose();
    const select = names.filter((name) => chosen.has(name)).join(",");
    const isDefault = select === "" || select === all.slice(0, MOST_COLUMNS).join(",");
    const kept = nodes.filter(({ path }) => chosen.has(path));
    const added = navigations.filter(({ name }) => chosen.has(name) && !kept.some(({ path }) => path === name));
    const expand = writeExpand([...kept, ...added.map(cellNode)]);
    session.go(withOptions(view, { $select: isDefault ? null : select, $expand: expand === "" ? null : expand }));
  };
  const isWhole = names.every((name) => chosen.has(name));
  const toggleAll = (): void => {
    const others = [...chosen].filter((name) => !names.includes(name));
    setChosen(new Set(isWhole ? others : [...others, ...names]));
  };
  const box = (name: string, label: string): JSX.Element => (
    <CheckField
      label={label}
      checked={chosen.has(name)}
      onChange={(checked) =>
        setChosen(new Set(checked ? [...chosen, name] : [...chosen].filter((each) => each !== name)))
      }
    />
  );
  return (
    <Dialog
      title="Columns"
      onClose={onClose}
      actions={
        <>
          <Button onClick={toggleAll}>{isWhole ? "Choose none" : "Choose all"}</Button>
          <Button kind="primary" onClick={show}>
            Show
          </Button>
        </>
      }
    >
      <NameList names={names} box={box} onChange={setNames} />
      {navigations.length === 0 ? null : <h3>Relations</h3>}
      {navigations.map(({ name, isCollection }) => box(name, isCollection ? `${name} (number)` : name))}
    </Dialog>
  );
}

/** Shows names with their boxes, in an order that buttons change. */
function NameList(props: {
  readonly names: readonly string[];
  readonly box: (name: string, label: string) => JSX.Element;
  readonly onChange: (names: string[]) => void;
}): JSX.Element {
  const { names, box, onChange } = props;
  return (
    <ol class="grid-columns">
      {names.map((name, at) => (
        <li key={name}>
          {box(name, name)}
          <span class="spread" />
          {([-1, 1] as const).map((by) => (
            <Button
              key={by}
              kind="quiet"
              icon={by < 0 ? "up" : "down"}
              label={`Move ${name} ${by < 0 ? "up" : "down"}`}
              disabled={names[at + by] === undefined}
              onClick={({ currentTarget }) => {
                onChange(names.toSpliced(at, 1).toSpliced(at + by, 0, name));
                // The browser takes the focus from an element that moves.
                if (currentTarget instanceof HTMLElement) requestAnimationFrame(() => currentTarget.focus());
              }}
            />
          ))}
        </li>
      ))}
    </ol>
  );
}
