import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import { ValueField } from "../../parts/value-field.tsx";
import type { FilterCondition } from "../../query/filter-tree.ts";
import { literalText, readTyped } from "../../query/literals.ts";
import { type Operator, conditionOf, operatorFor, operatorsFor } from "../../query/operators.ts";
import type { ValueShape } from "./column.ts";
import { type FilterTarget, conditionsOf, partsOf, withParts } from "./filter-parts.ts";
import type { GridProps } from "./grid-props.ts";

/** What a reader has entered. */
interface Draft {
  readonly target: FilterTarget;
  readonly operator: Operator;
  /** A value a line where the operator takes several; null before a choice. */
  readonly typed: string | null;
  readonly isLowered: boolean;
}

interface FilterDialogProps extends GridProps {
  readonly targets: readonly FilterTarget[];
  /** The path to begin with; empty for the first. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Shows a form for the condition on one property. */
export function FilterDialog(props: FilterDialogProps): JSX.Element | null {
  const { targets, view, session, onClose } = props;
  const [draft, setDraft] = useState(() => draftOf(props, props.path));
  const [message, setMessage] = useState<string | null>(null);
  if (draft === null) return null;
  const old = conditionsOf(view).find(({ path }) => path === draft.target.path);
  const change = (next: Draft | null): void => {
    setDraft(next);
    setMessage(null);
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
          const read = readDraft(draft);
          if (typeof read === "string") setMessage(read);
          else goWith([read]);
        }}
      >
        <SelectField
          label="Property"
          value={draft.target.path}
          choices={targets.map(({ path }) => ({ value: path, label: path }))}
          onChange={(path) => change(draftOf(props, path))}
        />
        <Condition draft={draft} message={message} onChange={change} />
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
function draftOf({ view, targets }: FilterDialogProps, path: string): Draft | null {
  const target = targets.find((each) => each.path === path) ?? targets[0];
  const operators = target === undefined ? [] : operatorsFor(target.shape);
  const old = conditionsOf(view).find((condition) => condition.path === target?.path);
  const same = old === undefined ? null : operatorFor(old, operators);
  const operator = same ?? operators[0];
  if (target === undefined || operator === undefined) return null;
  if (old === undefined || same === null) return { target, operator, typed: null, isLowered: true };
  return { target, operator, typed: old.values.map(literalText).join("\n"), isLowered: old.isLowered };
}

/** Returns the condition, or what is wrong with a value. */
function readDraft({ target, operator, typed, isLowered }: Draft): FilterCondition | string {
  const texts = operator.values === "many" ? (typed ?? "").split("\n").filter((line) => line !== "") : [typed ?? ""];
  const read = operator.values === "none" ? [] : texts.map((text) => readTyped(text, target.shape.type));
  const wrong = read.find(({ message }) => message !== null)?.message;
  if (wrong) return wrong;
  if (texts.length === 0) return "Write one value at least.";
  const literals = read.flatMap(({ literal }) => literal ?? []);
  return conditionOf(target.path, operator, literals, isLowered && isText(target.shape));
}

function isText({ type }: ValueShape): boolean {
  return type.kind === "primitive" && type.name === "Edm.String";
}

interface ConditionProps {
  readonly draft: Draft;
  readonly message: string | null;
  readonly onChange: (draft: Draft) => void;
}

function Condition({ draft, message, onChange }: ConditionProps): JSX.Element {
  const { target, operator, typed } = draft;
  const operators = operatorsFor(target.shape);
  const onTyped = (text: string | null): void => {
    onChange({ ...draft, typed: text });
  };
  return (
    <>
      <SelectField
        label="Condition"
        value={operator.id}
        choices={operators.map(({ id, label }) => ({ value: id, label }))}
        onChange={(id) => onChange({ ...draft, operator: operators.find((each) => each.id === id) ?? operator })}
      />
      {operator.values === "many" ? (
        <TextField
          label="Values"
          hint="One value a line"
          isLong
          value={typed ?? ""}
          error={message}
          onInput={onTyped}
        />
      ) : null}
      {operator.values === "one" ? (
        <ValueField
          label="Value"
          shape={target.shape}
          typed={typed}
          isNullable={false}
          error={message}
          onChange={onTyped}
        />
      ) : null}
      {isText(target.shape) && operator.values !== "none" ? (
        <CheckField
          label="Ignore upper and lower case"
          checked={draft.isLowered}
          onChange={(isLowered) => onChange({ ...draft, isLowered })}
        />
      ) : null}
    </>
  );
}
