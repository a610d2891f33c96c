import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField } from "../../parts/field.tsx";
import { readExpand, writeExpand } from "../../query/expand-tree.ts";
import { withOptions } from "../../state/view.ts";
import { cellNode, chosenNames, MOST_COLUMNS, namesInOrder } from "./column.ts";
import type { GridProps } from "./rows.tsx";

/** Shows a form for the columns and their order: properties become `$select`, relations become `$expand`. */
export function ColumnsDialog(props: GridProps & { readonly onClose: () => void }): JSX.Element {
  const { session, view, query, onClose } = props;
  const { type, set } = query.place;
  const all = namesInOrder(type);
  const [begin] = useState(() => chosenNames(view.options) ?? all.slice(0, MOST_COLUMNS));
  const [names, setNames] = useState(() => [...begin, ...all.filter((name) => !begin.includes(name))]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(begin));
  const [nodes] = useState(() => readExpand(view.options.get("$expand") ?? "") ?? []);
  const [related, setRelated] = useState<ReadonlySet<string>>(() => new Set(nodes.map(({ path }) => path)));
  const navigations = [...type.navigations.values()].filter(({ name }) => set?.abilities.expandable(name) ?? true);
  const apply = (): void => {
    const select = names.filter((name) => chosen.has(name));
    const isDefault = select.length === 0 || select.join() === all.slice(0, MOST_COLUMNS).join();
    const kept = nodes.filter(({ path }) => related.has(path));
    const added = navigations.filter(({ name }) => related.has(name) && !kept.some(({ path }) => path === name));
    const expand = writeExpand([...kept, ...added.map(cellNode)]);
    onClose();
    session.go(
      withOptions(view, { $select: isDefault ? null : select.join(","), $expand: expand === "" ? null : expand }),
    );
  };
  const move = (at: number, by: number): void => {
    const next = [...names];
    next.splice(at + by, 0, ...next.splice(at, 1));
    setNames(next);
  };
  return (
    <Dialog
      title="Columns"
      onClose={onClose}
      actions={
        <>
          <Button
            onClick={() => {
              setChosen(new Set(chosen.size === names.length ? [] : names));
            }}
          >
            {chosen.size === names.length ? "Choose none" : "Choose all"}
          </Button>
          <Button kind="primary" onClick={apply}>
            Show
          </Button>
        </>
      }
    >
      <ol class="grid-columns">
        {names.map((name, at) => (
          <li key={at}>
            <CheckField
              label={name}
              checked={chosen.has(name)}
              onChange={(checked) => {
                setChosen(changed(chosen, name, checked));
              }}
            />
            <span class="spread" />
            <Button
              kind="quiet"
              icon="up"
              label={`Move ${name} up`}
              disabled={at === 0}
              onClick={() => {
                move(at, -1);
              }}
            />
            <Button
              kind="quiet"
              icon="down"
              label={`Move ${name} down`}
              disabled={at === names.length - 1}
              onClick={() => {
                move(at, 1);
              }}
            />
          </li>
        ))}
      </ol>
      {navigations.length === 0 || set?.abilities.canExpand === false ? null : (
        <fieldset class="grid-boxes">
          <legend class="field-label">Relations</legend>
          {navigations.map(({ name, isCollection }) => (
            <CheckField
              key={name}
              label={isCollection ? `${name} (number)` : name}
              checked={related.has(name)}
              onChange={(checked) => {
                setRelated(changed(related, name, checked));
              }}
            />
          ))}
        </fieldset>
      )}
    </Dialog>
  );
}

function changed(names: ReadonlySet<string>, name: string, isIn: boolean): ReadonlySet<string> {
  return new Set(isIn ? [...names, name] : [...names].filter((each) => each !== name));
}
