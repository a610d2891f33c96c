import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import type { FilterCondition } from "../../query/filter-tree.ts";
import { literalText, readTyped } from "../../query/literals.ts";
import { type Operator, conditionOf, operatorFor, operatorsFor } from "../../query/operators.ts";
import { conditionsOf, partsOf, withParts } from "./chips.tsx";
import type { ValueShape } from "./column.ts";
import type { FilterTarget } from "./filter-targets.ts";
import type { GridProps } from "./rows.tsx";

/** What a reader has entered. */
interface Draft {
  readonly path: string;
  readonly operator: string;
  readonly values: readonly string[];
  readonly isLowered: boolean;
}

interface FilterDialogProps extends GridProps {
  readonly targets: readonly FilterTarget[];
  /** The path to begin with; empty for the first. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Shows a form for the condition on one property. */
export function FilterDialog(props: FilterDialogProps): JSX.Element {
  const { targets, view, session, onClose } = props;
  const first = targets.find(({ path }) => path === props.path) ?? targets[0];
  const [draft, setDraft] = useState<Draft>(() => draftOf(props, first?.path ?? ""));
  const [message, setMessage] = useState<string | null>(null);
  const shape = targets.find(({ path }) => path === draft.path)?.shape ?? null;
  const operators = shape === null ? [] : operatorsFor(shape);
  const operator = operators.find(({ id }) => id === draft.operator) ?? operators[0];
  if (shape === null || operator === undefined) return <></>;
  const old = conditionsOf(view).find(({ path }) => path === draft.path);
  const goWith = (condition: FilterCondition | null): void => {
    const parts = partsOf(view);
    const added = condition === null ? [] : [condition];
    onClose();
    session.go(
      withParts(
        view,
        old === undefined ? [...parts, ...added] : parts.flatMap((part) => (part === old ? added : [part])),
      ),
    );
  };
  return (
    <Dialog title="Filter" onClose={onClose}>
      <form
        class="stack grid-form"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = operator.values === "none" ? [] : draft.values.map((value) => readTyped(value, shape.type));
          const wrong = typed.find(({ literal }) => literal === null)?.message ?? null;
          const isMissing = operator.values !== "none" && typed.length === 0;
          setMessage(isMissing ? "Choose a value." : wrong);
          if (wrong !== null || isMissing) return;
          goWith(
            conditionOf(
              draft.path,
              operator,
              typed.flatMap(({ literal }) => literal ?? []),
              isLowered(draft, shape, operator),
            ),
          );
        }}
      >
        <SelectField
          label="Property"
          value={draft.path}
          choices={targets.map(({ path }) => ({ value: path, label: path }))}
          onChange={(path) => {
            setDraft(draftOf(props, path));
            setMessage(null);
          }}
        />
        <SelectField
          label="Condition"
          value={operator.id}
          choices={operators.map(({ id, label }) => ({ value: id, label }))}
          onChange={(id) => {
            const next = operators.find((each) => each.id === id);
            const isNowMany = next?.values === "many" && operator.values !== "many";
            setDraft({ ...draft, operator: id, values: isNowMany && old === undefined ? [] : draft.values });
            setMessage(null);
          }}
        />
        {operator.values === "none" ? null : (
          <ValueField
            shape={shape}
            operator={operator}
            values={draft.values}
            message={message}
            onChange={(values) => {
              setDraft({ ...draft, values });
            }}
          />
        )}
        {isText(shape) && operator.values !== "none" ? (
          <CheckField
            label="Ignore upper and lower case"
            checked={draft.isLowered}
            onChange={(checked) => {
              setDraft({ ...draft, isLowered: checked });
            }}
          />
        ) : null}
        <div class="dialog-actions">
          {old === undefined ? null : (
            <Button
              onClick={() => {
                goWith(null);
              }}
            >
              Remove
            </Button>
          )}
          <Button kind="primary" type="submit">
            Filter
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Begins with the condition that the view has on the property. */
function draftOf({ view, targets }: FilterDialogProps, path: string): Draft {
  const shape = targets.find((target) => target.path === path)?.shape;
  const operators = shape === undefined ? [] : operatorsFor(shape);
  const old = conditionsOf(view).find((condition) => condition.path === path);
  const operator = old === undefined ? null : operatorFor(old, operators);
  const isSame = old !== undefined && operator !== null;
  return {
    path,
    operator: operator?.id ?? operators[0]?.id ?? "",
    values: isSame && operator.values !== "none" ? old.values.map(literalText) : firstValues(shape),
    isLowered: isSame ? old.isLowered : true,
  };
}

function firstValues(shape: ValueShape | undefined): readonly string[] {
  const choices = shape === undefined ? [] : choicesOf(shape);
  return [choices[0] ?? ""];
}

function isText({ type }: ValueShape): boolean {
  return type.kind === "primitive" && type.name === "Edm.String";
}

function isLowered({ isLowered: isChosen }: Draft, shape: ValueShape, { values }: Operator): boolean {
  return isChosen && isText(shape) && values !== "none";
}

function choicesOf({ type }: ValueShape): readonly string[] {
  if (type.kind === "enum") return type.enum.members.map(({ name }) => name);
  return type.kind === "primitive" && type.name === "Edm.Boolean" ? ["true", "false"] : [];
}

interface ValueFieldProps {
  readonly shape: ValueShape;
  readonly operator: Operator;
  readonly values: readonly string[];
  readonly message: string | null;
  readonly onChange: (values: readonly string[]) => void;
}

function ValueField(props: ValueFieldProps): JSX.Element {
  const { shape, operator, values, message, onChange } = props;
  const choices = choicesOf(shape);
  const name = shape.type.kind === "primitive" ? shape.type.name : "";
  if (choices.length > 0 && operator.values === "many") return <ChoiceBoxes {...props} choices={choices} />;
  if (choices.length > 0) {
    return (
      <SelectField
        label="Value"
        value={values[0] ?? ""}
        error={message}
        choices={choices.map((choice) => ({ value: choice, label: choice }))}
        onChange={(value) => {
          onChange([value]);
        }}
      />
    );
  }
  const isMany = operator.values === "many";
  return (
    <TextField
      label={isMany ? "Values" : "Value"}
      hint={isMany ? "One value a line" : null}
      isLong={isMany}
      type={name === "Edm.Date" ? "date" : "text"}
      inputMode={/Int|Decimal|Double|Single|Byte/u.test(name) ? "decimal" : "text"}
      value={isMany ? values.join("\n") : (values[0] ?? "")}
      error={message}
      onInput={(text) => {
        onChange(isMany ? text.split("\n").filter((line) => line !== "") : [text]);
      }}
    />
  );
}

function ChoiceBoxes(props: ValueFieldProps & { readonly choices: readonly string[] }): JSX.Element {
  const { choices, values, onChange, message } = props;
  return (
    <fieldset class="grid-boxes">
      <legend class="field-label">Values</legend>
      {choices.map((choice) => (
        <CheckField
          key={choice}
          label={choice}
          checked={values.includes(choice)}
          onChange={(checked) => {
            onChange(choices.filter((each) => (each === choice ? checked : values.includes(each))));
          }}
        />
      ))}
      {message === null ? null : <span class="field-error">{message}</span>}
    </fieldset>
  );
}
