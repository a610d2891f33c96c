import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/field.tsx";
import { ConditionFields } from "../../parts/query-form/filter-builder.tsx";
import type { FilterCondition } from "../../query/filter-tree.ts";
import { conditionOf, operatorFor, operatorsFor } from "../../query/operators.ts";
import type { ValueShape } from "./column.ts";
import { type FilterTarget, conditionsOf, partsOf, withParts } from "./filter-parts.ts";
import type { GridProps } from "./grid-props.ts";

interface FilterDialogProps extends GridProps {
  readonly targets: readonly FilterTarget[];
  /** The path to begin with; empty for the first. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Shows a form for the condition on one property. */
export function FilterDialog(props: FilterDialogProps): JSX.Element | null {
  const { targets, view, session, onClose } = props;
  const [node, setNode] = useState(() => conditionAt(props, props.path));
  const [isIncomplete, setIncomplete] = useState(false);
  const property = targets.find(({ path }) => path === node?.path)?.shape;
  if (node === null || property === undefined) return null;
  const old = conditionsOf(view).find(({ path }) => path === node.path);
  const change = (next: FilterCondition | null): void => {
    setNode(next);
    setIncomplete(false);
  };
  const goWith = (conditions: readonly FilterCondition[]): void => {
    const parts = partsOf(view);
    onClose();
    session.go(
      withParts(view, old ? parts.flatMap((part) => (part === old ? conditions : part)) : [...parts, ...conditions]),
    );
  };
  return (
    <Dialog title="Filter" onClose={onClose}>
      <form
        class="stack grid-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (node.values.length === 0) setIncomplete(true);
          else goWith([node]);
        }}
      >
        <SelectField
          label="Property"
          value={node.path}
          choices={targets.map(({ path }) => ({ value: path, label: path }))}
          onChange={(path) => change(conditionAt(props, path))}
        />
        <ConditionFields key={node.path} node={node} property={property} onChange={change} />
        <p class="field-error" role="alert">
          {isIncomplete ? "Write a value that fits the property." : ""}
        </p>
        <div class="dialog-actions">
          {old === undefined ? null : <Button onClick={() => goWith([])}>Remove</Button>}
          <Button kind="primary" type="submit">
            Filter
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Begins with the condition that the view has on the property; null if nothing can be filtered by. */
function conditionAt({ view, targets }: FilterDialogProps, path: string): FilterCondition | null {
  const target = targets.find((each) => each.path === path) ?? targets[0];
  const operators = target === undefined ? [] : operatorsFor(target.shape);
  const [operator] = operators;
  if (target === undefined || operator === undefined) return null;
  const old = conditionsOf(view).find((condition) => condition.path === target.path);
  const isShown = old !== undefined && operatorFor(old, operators) !== null;
  return isShown ? old : conditionOf(target.path, operator, [], isText(target.shape));
}

function isText({ type }: ValueShape): boolean {
  return type.kind === "primitive" && type.name === "Edm.String";
}
