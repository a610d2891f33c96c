import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Property } from "../../model/model.ts";
import type { FilterCondition } from "../../query/filter-tree.ts";
import { literalText, readTyped } from "../../query/literals.ts";
import { conditionOf, type Operator, operatorFor, operatorsFor } from "../../query/operators.ts";
import { CheckField } from "../field.tsx";
import { Pick } from "../pick.tsx";
import { ValueField } from "../value-field.tsx";

interface ConditionProps {
  readonly node: FilterCondition;
  readonly property: Pick<Property, "type" | "isCollection" | "isNullable"> | null;
  readonly onChange: (node: FilterCondition) => void;
}

/**
 * Edits what a condition does with its property: the operator and the value that fit its type. As long as a value is missing or
 * wrong, which the field says, the condition has no values.
 */
export function ConditionFields({ node, property, onChange }: ConditionProps): JSX.Element | null {
  const operators = property === null ? [] : operatorsFor(property);
  const operator = operatorFor(node, operators);
  if (property === null || operator === null) return null;
  const isText = property.type.kind === "primitive" && property.type.name === "Edm.String";
  return (
    <>
      <Pick
        label="Operator"
        value={operator.id}
        choices={operators.map(({ id, label }) => [id, label])}
        onPick={(id) => {
          const next = operators.find((each) => each.id === id) ?? operator;
          const values =
            operator.values === "none" || (next.values === "one" && node.values.length > 1) ? [] : node.values;
          onChange(conditionOf(node.path, next, values, node.isLowered));
        }}
      />
      {operator.values === "none" ? null : <Value {...{ node, property, operator, onChange }} />}
      {isText && operator.values !== "none" ? (
        <CheckField
          label="any case"
          checked={node.isLowered}
          onChange={(isLowered) => onChange(conditionOf(node.path, operator, node.values, isLowered))}
        />
      ) : null}
    </>
  );
}

function Value(
  props: ConditionProps & { readonly property: Pick<Property, "type">; readonly operator: Operator },
): JSX.Element {
  const { node, property, operator, onChange } = props;
  const [edited, setEdited] = useState<{ readonly key: string; readonly typed: string } | null>(null);
  const isMany = operator.values === "many";
  const key = node.values.join("\n");
  const typed = edited?.key === key ? edited.typed : node.values.map(literalText).join("\n");
  const parts = isMany ? typed.split("\n").filter((part) => part !== "") : [typed];
  const isUntouched = node.values.length === 0 && typed === "";
  const fault = isUntouched
    ? null
    : (parts.map((part) => readTyped(part, property.type).message).find(Boolean) ?? null);
  const type = (text: string): void => {
    const read = (isMany ? text.split("\n").filter((part) => part !== "") : [text]).map(
      (part) => readTyped(part, property.type).literal,
    );
    const literals = read.filter((literal) => literal !== null);
    const next = conditionOf(node.path, operator, literals.length === read.length ? literals : [], node.isLowered);
    setEdited({ key: next.values.join("\n"), typed: text });
    onChange(next);
  };
  return (
    <ValueField
      label={isMany ? "Values, one on each line" : "Value"}
      isLabelHidden
      shape={{ type: property.type, isCollection: false, maxLength: null, isMultiLine: isMany }}
      typed={isUntouched ? null : typed}
      isNullable={false}
      hint={isMany ? "One on each line" : null}
      error={fault}
      onChange={(text) => type(text ?? "")}
    />
  );
}
