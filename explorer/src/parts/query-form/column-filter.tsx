import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { dayOf, type Zone, zoneOf } from "../../format/zone.ts";
import type { Property } from "../../model/model.ts";
import { namedRanges, readRange, writeRange } from "../../query/date-ranges.ts";
import { condition, type FilterCondition } from "../../query/filter-tree.ts";
import { literalText, toLiteral } from "../../query/literals.ts";
import { operatorFor, operatorsFor } from "../../query/operators.ts";
import type { Reference } from "../../query/reference.ts";
import { Button } from "../button.tsx";
import { CheckList, TextField } from "../field.tsx";
import { ShowForm } from "../popover.tsx";
import { ConditionFields, firstCondition } from "./filter-builder.tsx";

type Conditions = readonly FilterCondition[];

/** The properties of the form that filters by one property. */
interface ColumnFilterProps {
  readonly path: string;
  readonly property: Property;
  /** The zone in which the reader sees instants. */
  readonly zone: Zone;
  /** The conditions on the property. */
  readonly conditions: Conditions;
  /** What the property refers to as a foreign key. */
  readonly reference: Reference | null;
  readonly onShow: (conditions: Conditions) => void;
}

/** The properties of the fields for a type, which edit the conditions. */
interface FieldsProps extends ColumnFilterProps {
  readonly onChange: (conditions: Conditions) => void;
}

/** Filters by one property, with the controls that fit its type: days, boxes, or an operator with a value. */
export function ColumnFilter(props: ColumnFilterProps): JSX.Element {
  const { conditions, onShow } = props;
  const [next, setNext] = useState(conditions);
  const [isPlain, setPlain] = useState(fieldsOf(props) === null);
  const Shown = (isPlain ? null : fieldsOf(props)) ?? OperatorFields;
  return (
    <ShowForm onShow={() => onShow(next)}>
      <div class="filter-row">
        <Shown {...props} conditions={next} onChange={setNext} />
      </div>
      {isPlain ? null : (
        <Button kind="quiet" onClick={() => setPlain(true)}>
          More operators
        </Button>
      )}
    </ShowForm>
  );
}

type Fields = (props: FieldsProps) => JSX.Element;

/** Returns the fields of a type that can show the conditions; null for an operator with a value. */
function fieldsOf({ property: { type }, conditions, zone }: ColumnFilterProps): Fields | null {
  const name = type.kind === "primitive" ? type.name : "";
  const isOfDays = /^Edm\.Date(?:TimeOffset)?$/u.test(name);
  if (isOfDays) return readRange(conditions, zoneOf(type, zone)) && DayFields;
  const operators = type.kind === "enum" && type.enum.isFlags ? ["has"] : ["eq", "in"];
  const isShown = conditions.every(({ operator, isNegated }) => operators.includes(operator) && !isNegated);
  const hasBoxes = type.kind === "enum" || name === "Edm.Boolean";
  return hasBoxes && isShown && conditions.length < 2 ? BoxFields : null;
}

/** Chooses an operator and a value. Further conditions stay. */
function OperatorFields({ path, property, conditions, reference, onChange }: FieldsProps): JSX.Element {
  const [node = firstCondition(path, property), ...others] = conditions;
  const operator = operatorFor(node, operatorsFor(property));
  if (operator === null) return <p class="dim">The form of the whole filter has this condition.</p>;
  return (
    <ConditionFields
      isBegun
      {...{ node, property, operator, reference }}
      onChange={(next) => onChange([next, ...others])}
    />
  );
}

/** Chooses a first and a last day, or days that people name. */
function DayFields({ path, property: { type }, conditions, zone, onChange, onShow }: FieldsProps): JSX.Element {
  const shownZone = zoneOf(type, zone);
  const range = readRange(conditions, shownZone) ?? { from: "", to: "" };
  return (
    <>
      <div class="row">
        {namedRanges(dayOf(new Date(), shownZone ?? "local")).map(([name, chosen]) => (
          <Button key={name} onClick={() => onShow(writeRange(path, chosen, shownZone))}>
            {name}
          </Button>
        ))}
      </div>
      {(["from", "to"] as const).map((name) => (
        <TextField
          key={name}
          label={name === "from" ? "First day" : "Last day"}
          type="date"
          value={range[name]}
          onInput={(text) => onChange(writeRange(path, { ...range, [name]: text }, shownZone))}
        />
      ))}
    </>
  );
}

const NONE = "(null)";

/** Chooses some of the values of a type that has few, and null; of flags those that a value must have. */
function BoxFields({ path, property: { type, isNullable }, conditions, onChange }: FieldsProps): JSX.Element {
  const isFlags = type.kind === "enum" && type.enum.isFlags;
  const members = type.kind === "enum" ? type.enum.members.map(({ name }) => name) : ["true", "false"];
  const names = isNullable && !isFlags ? [...members, NONE] : members;
  const chosen = conditions.flatMap(({ values }) => values).map((each) => (each === "null" ? NONE : literalText(each)));
  const change = (next: readonly string[]): void => {
    const shown = names.filter((name) => next.includes(name));
    const literals = shown.map((name) => (name === NONE ? "null" : toLiteral(name, type)));
    const flags = condition(path, "has", [toLiteral(shown.join(","), type)]);
    const values = condition(path, literals.length === 1 ? "eq" : "in", literals);
    onChange(shown.length === 0 ? [] : [isFlags ? flags : values]);
  };
  const texts = isFlags ? chosen.flatMap((each) => each.split(/,\s*/u)) : chosen;
  return <CheckList label={isFlags ? "Includes all of" : "Is one of"} names={names} chosen={texts} onChange={change} />;
}
