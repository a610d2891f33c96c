import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ServiceError } from "../client/service-error.ts";
import { type EntityValues, isSameValue } from "../format/merge-columns.ts";
import type { Parameter, Property } from "../model/model.ts";
import { readTypedJson, typedOf } from "../query/typed-json.ts";
import { Button } from "./button.tsx";
import { ValueField } from "./value-field.tsx";

/** What has a field in a form. */
export type Member = Property | Parameter;

/** What was typed for a member: null is the value null, undefined leaves the member to the service. */
export type Typed = string | null | undefined;

type Faults = ReadonlyMap<string, string>;

/** A form with a field for each member, and what was typed so far. */
export interface MemberForm {
  readonly members: readonly Member[];
  readonly typed: ReadonlyMap<string, Typed>;
  /** What is wrong, by the name of the member. */
  readonly faults: Faults;
  readonly change: (name: string, typed: Typed) => void;
  /** Returns the values that changed; null if one of them is wrong, which its field shows from then on. */
  readonly read: () => EntityValues | null;
  /** Shows at the fields what the service says of them. */
  readonly refuse: (error: unknown) => void;
}

/**
 * Keeps what is typed in the fields of a form.
 * @param first returns what a field begins with
 * @param base the values that the form began with; null if there were none
 */
export function useMemberForm(
  members: readonly Member[],
  first: (member: Member) => Typed,
  base: EntityValues | null = null,
): MemberForm {
  const [typed, setTyped] = useState<ReadonlyMap<string, Typed>>(
    () => new Map(members.map((member) => [member.name, first(member)])),
  );
  const [faults, setFaults] = useState<Faults>(new Map());
  return {
    members,
    typed,
    faults,
    change: (name, value) => setTyped(new Map([...typed, [name, value]])),
    read: () => {
      const all = members.flatMap((member) => {
        const { name } = member;
        const read = readField(member, typed.get(name), base?.[name]);
        return read === null ? [] : [{ ...read, name, member }];
      });
      const found = all.flatMap(({ name, message }) => (message === null ? [] : [[name, message] as const]));
      setFaults(new Map(found));
      const changed = all.filter(({ name, value }) => base === null || !isSameValue(base[name], value));
      return found.length > 0 ? null : Object.fromEntries(changed.map(({ name, value }) => [name, value]));
    },
    refuse: (error) => setFaults(faultsOf(error)),
  };
}

function readField(member: Member, typed: Typed, before: unknown): ReturnType<typeof readTypedJson> | null {
  if (typed === undefined) return null;
  // A value that nobody edited is not judged: it may be of another form than people type.
  if (before !== undefined && typed === (before === null ? null : typedOf(before, member))) {
    return { value: before, message: null };
  }
  if (typed !== null) return readTypedJson(typed, member);
  return member.isNullable ? { value: null, message: null } : { value: null, message: "A value is missing." };
}

function faultsOf(error: unknown): Faults {
  if (!(error instanceof ServiceError)) return new Map();
  const all = error.details.length === 0 ? [error] : error.details;
  return new Map(all.flatMap(({ target, message }) => (target === null ? [] : [[target, message] as const])));
}

/** Shows the fields of a form. A member that is left to the service has a button instead. */
export function MemberFields(props: {
  readonly form: MemberForm;
  /** What becomes of a member that is left to the service. */
  readonly textOf: (defaultValue: string | null) => string;
  /** What the button does, such as "Set". */
  readonly verb: string;
}): JSX.Element {
  const { form, textOf, verb } = props;
  const { members, typed, faults, change } = form;
  return (
    <>
      {members.map((member) => {
        const { name, label, description, isNullable, defaultValue } = member;
        const value = typed.get(name);
        const title = label ?? name;
        return value === undefined ? (
          <div key={name} class="row">
            <span class="field-label">{title}</span>
            <span class="dim">{textOf(defaultValue)}</span>
            <Button kind="quiet" onClick={() => change(name, "")}>{`${verb} ${title}`}</Button>
          </div>
        ) : (
          <ValueField
            key={name}
            label={title}
            shape={member}
            typed={value}
            isNullable={isNullable}
            required={!isNullable}
            hint={description}
            error={faults.get(name) ?? null}
            onChange={(next) => change(name, next)}
          />
        );
      })}
      <span class="hidden" aria-live="assertive">
        {faults.size === 0 ? "" : `${String(faults.size)} of the fields need another value.`}
      </span>
    </>
  );
}
