import type { ComponentChildren, JSX, TargetedEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isNumeric } from "../../format/show-value.ts";
import { dayOf, type Zone, zoneOf } from "../../format/zone.ts";
import type { Property, PropertyType } from "../../model/model.ts";
import { namedRanges, type Range, readRange, writeRange } from "../../query/date-ranges.ts";
import { condition, type FilterCondition } from "../../query/filter-tree.ts";
import { literalText, readTyped, toLiteral } from "../../query/literals.ts";
import { operatorFor, operatorsFor } from "../../query/operators.ts";
import { Button } from "../button.tsx";
import { CheckField, TextField } from "../field.tsx";
import { ConditionFields, firstCondition } from "./filter-builder.tsx";
import { Pick } from "./option-editor.tsx";

/** The properties of the form that filters by one property. */
export interface ColumnFilterProps {
  readonly path: string;
  readonly property: Property;
  /** Whether its digits are a name, of which there are no ranges. */
  readonly isIdentifier: boolean;
  /** The zone in which the reader sees instants. */
  readonly zone: Zone;
  /** The conditions on the property. */
  readonly conditions: readonly FilterCondition[];
  readonly onShow: (conditions: readonly FilterCondition[]) => void;
}

/** Filters by one property, with the controls that fit its type: days, bounds, boxes, or an operator with a value. */
export function ColumnFilter(props: ColumnFilterProps): JSX.Element {
  const { conditions } = props;
  const Special = specialForm(props);
  const [isPlain, setPlain] = useState(Special === null);
  return (
    <>
      {Special === null || isPlain ? <ConditionForm {...props} /> : <Special {...props} />}
      <div class="row">
        {formOf(props) === null ? null : (
          <Button kind="quiet" onClick={() => setPlain(!isPlain)} isIdle={Special === null}>
            {isPlain ? "Fewer operators" : "More operators"}
          </Button>
        )}
        {conditions.length === 0 ? null : <Button onClick={() => props.onShow([])}>Remove this filter</Button>}
      </div>
    </>
  );
}

type Form = (props: ColumnFilterProps) => JSX.Element;

function formOf({ property: { type }, isIdentifier }: ColumnFilterProps): Form | null {
  if (type.kind === "enum") return type.enum.isFlags ? FlagsForm : ValuesForm;
  const isRange = !isIdentifier && (isNumeric(type) || hasDays(type));
  if (isRange) return RangeForm;
  return typeName(type) === "Edm.Boolean" ? ValuesForm : null;
}

function typeName(type: PropertyType): string {
  return type.kind === "primitive" ? type.name : "";
}

function hasDays(type: PropertyType): boolean {
  return /^Edm\.Date(?:TimeOffset)?$/u.test(typeName(type));
}

/** Returns the form of the type; null if it cannot show the conditions. */
function specialForm(props: ColumnFilterProps): Form | null {
  const { conditions, zone } = props;
  const { type } = props.property;
  const form = formOf(props);
  if (form === RangeForm) return readRange(conditions, zoneOf(type, zone)) === null ? null : form;
  if (form === ValuesForm) return readChosen(conditions) === null ? null : form;
  return conditions.every(({ operator }) => ["has", "eq"].includes(operator)) && conditions.length < 2 ? form : null;
}

/** Shows fields, and a button that shows the rows. A field with a fault gets the focus. */
function FilterForm(props: {
  readonly onTry?: () => void;
  readonly onShow: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  const [tries, setTries] = useState(0);
  // The fields render what a try has found before it goes on.
  useEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    if (tries > 0 && wrong) wrong.focus();
    else if (tries > 0) props.onShow();
  }, [tries]);
  const submit = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    props.onTry?.();
    setTries(tries + 1);
  };
  return (
    <form ref={form} class="stack" onSubmit={submit}>
      <div class="filter-row">{props.children}</div>
      <Button kind="primary" type="submit">
        Show
      </Button>
    </form>
  );
}

/** Chooses an operator and a value. Further conditions stay. */
function ConditionForm({ path, property, conditions, onShow }: ColumnFilterProps): JSX.Element {
  const [first = firstCondition(path, property), ...others] = conditions;
  const [node, setNode] = useState(first);
  const [isTried, setTried] = useState(false);
  const operator = operatorFor(node, operatorsFor(property));
  if (operator === null) return <p class="dim">The form of the whole filter has this condition.</p>;
  return (
    <FilterForm onTry={() => setTried(true)} onShow={() => onShow([node, ...others])}>
      <ConditionFields {...{ node, property, operator }} isBegun={!isTried} onChange={setNode} />
    </FilterForm>
  );
}

/** Chooses a first and a last value; of days also those that people name. */
function RangeForm({ path, property: { type }, conditions, zone, onShow }: ColumnFilterProps): JSX.Element {
  const shownZone = zoneOf(type, zone);
  const [range, setRange] = useState(() => readRange(conditions, shownZone) ?? { from: "", to: "" });
  const isOfDays = hasDays(type);
  const show = (chosen: Range): void => onShow(writeRange(path, chosen, type, shownZone));
  const { from, to } = range;
  const isTurned = from !== "" && to !== "" && (isOfDays ? from > to : Number(from) > Number(to));
  const field = (name: "from" | "to", label: string): JSX.Element => {
    const fault = range[name] === "" || isOfDays ? null : readTyped(range[name], type).message;
    return (
      <TextField
        key={name}
        label={label}
        type={isOfDays ? "date" : "text"}
        inputMode={isOfDays ? undefined : "decimal"}
        value={range[name]}
        error={fault ?? (name === "to" && isTurned ? "The last value is before the first." : null)}
        onInput={(text) => setRange({ ...range, [name]: text })}
      />
    );
  };
  const read = (text: string): string =>
    text === "" || isOfDays ? text : literalText(readTyped(text, type).literal ?? "");
  return (
    <>
      {isOfDays ? (
        <div class="row" role="group" aria-label="Days">
          {namedRanges(dayOf(new Date(), shownZone ?? "local")).map(([name, chosen]) => (
            <Button key={name} onClick={() => show(chosen)}>
              {name}
            </Button>
          ))}
        </div>
      ) : null}
      <FilterForm onShow={() => show({ from: read(from), to: read(to) })}>
        {[field("from", isOfDays ? "First day" : "At least"), field("to", isOfDays ? "Last day" : "At most")]}
      </FilterForm>
    </>
  );
}

/** Returns the texts of the chosen values; null if the conditions mean something else. */
function readChosen(conditions: readonly FilterCondition[]): readonly string[] | null {
  const [only, ...others] = conditions;
  if (only === undefined) return [];
  return others.length > 0 || only.isNegated || !["eq", "in"].includes(only.operator) ? null : only.values;
}

/** Chooses some of the values of a type that has few, and null. */
function ValuesForm({ path, property: { type, isNullable }, conditions, onShow }: ColumnFilterProps): JSX.Element {
  const names = type.kind === "enum" ? type.enum.members.map(({ name }) => name) : ["true", "false"];
  const choices = [...names.map((name) => [toLiteral(name, type), name]), ...(isNullable ? [["null", "empty"]] : [])];
  const [chosen, setChosen] = useState(new Set(readChosen(conditions)));
  const show = (): void => {
    const literals = choices.flatMap(([literal = ""]) => (chosen.has(literal) ? [literal] : []));
    onShow(literals.length === 0 ? [] : [condition(path, literals.length === 1 ? "eq" : "in", literals)]);
  };
  return (
    <FilterForm onShow={show}>
      <Boxes {...{ choices, chosen }} onChange={setChosen} />
    </FilterForm>
  );
}

function Boxes(props: {
  readonly choices: readonly (readonly string[])[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: Set<string>) => void;
}): JSX.Element {
  return (
    <fieldset class="check-list">
      <legend class="hidden">Values</legend>
      {props.choices.map(([value = "", label]) => (
        <CheckField
          key={value}
          label={label}
          checked={props.chosen.has(value)}
          onChange={(isChosen) => {
            const others = [...props.chosen].filter((each) => each !== value);
            props.onChange(new Set(isChosen ? [...others, value] : others));
          }}
        />
      ))}
    </fieldset>
  );
}

/** Chooses flags that a value includes, or consists of. */
function FlagsForm({ path, property: { type }, conditions, onShow }: ColumnFilterProps): JSX.Element {
  const [first = condition(path, "has", [])] = conditions;
  const [operator, setOperator] = useState(first);
  const [chosen, setChosen] = useState(
    new Set(
      literalText(first.values[0] ?? "")
        .split(",")
        .map((name) => name.trim()),
    ),
  );
  const members = type.kind === "enum" ? type.enum.members : [];
  const operators = ["has", "not has", "eq"].map((id) => {
    const made = condition(path, id === "eq" ? "eq" : "has", [], { isNegated: id === "not has" });
    return [
      { has: "includes all of", "not has": "does not include all of", eq: "is exactly" }[id] ?? "",
      made,
    ] as const;
  });
  const [label = ""] =
    operators.find(
      ([, { operator: each, isNegated }]) => each === operator.operator && isNegated === operator.isNegated,
    ) ?? [];
  const names = members.flatMap(({ name }) => (chosen.has(name) ? [name] : []));
  const show = (): void =>
    onShow(names.length === 0 ? [] : [{ ...operator, values: [toLiteral(names.join(","), type)] }]);
  return (
    <FilterForm onShow={show}>
      {[
        <Pick key="operator" label="Operator" value={label} choices={operators} onPick={setOperator} />,
        <Boxes key="flags" choices={members.map(({ name }) => [name, name])} {...{ chosen }} onChange={setChosen} />,
      ]}
    </FilterForm>
  );
}
