import type { ComponentChildren, JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import { ServiceError, isAbort } from "../client/service-error.ts";
import type { EntityValues } from "../format/entity.ts";
import type { Parameter, Property } from "../model/model.ts";
import { readTypedJson, typedOf } from "../query/literals.ts";
import { SessionContext } from "../state/session.ts";
import { Button } from "./button.tsx";
import { BusyBar, Failure } from "./loadable.tsx";
import { ValueField } from "./value-field.tsx";

/** A property or parameter with a field in a form. */
type Member = Property | Parameter;

/** A typed text: null is the value null, or no value where one is required; undefined leaves the value to the service. */
type Typed = string | null | undefined;

/** The faults, by the name of the member. */
type Faults = ReadonlyMap<string, string>;

const NOTHING_WRONG: { readonly faults: Faults; readonly failure: unknown } = { faults: new Map(), failure: null };

interface MemberFormProps {
  readonly class: string;
  readonly members: readonly Member[];
  /** The values that the form begins with; null if there are none. */
  readonly base: EntityValues | null;
  readonly button: string;
  /** Sends the values that changed. A fault that the service finds in a member is shown at its field. */
  readonly send: (values: EntityValues, signal: AbortSignal) => Promise<void>;
  /** Whether sending waits for the reader, not for the service. */
  readonly isAsking?: boolean;
  /** The content next to the button. */
  readonly children?: ComponentChildren;
}

/** Shows a form with a field for each member, and a button that sends the typed values. */
export function MemberForm(props: MemberFormProps): JSX.Element {
  const { members, base, send } = props;
  const session = useContext(SessionContext);
  const [typed, setTyped] = useState(() => new Map(members.map((member) => [member.name, firstTyped(member, base)])));
  const [{ faults, failure }, setWrong] = useState(NOTHING_WRONG);
  const [sending, setSending] = useState<AbortController | null>(null);
  const change = (name: string, next: Typed): void => {
    setTyped(new Map([...typed, [name, next]]));
    setWrong({ faults: new Map([...faults].filter(([each]) => each !== name)), failure });
  };
  const submit = async (controller: AbortController): Promise<void> => {
    const edited = members.flatMap((member) => readEdited(member, typed.get(member.name), base));
    const wrong = edited.flatMap(({ name, message }) => (message === null ? [] : [[name, message] as const]));
    setWrong({ faults: new Map(wrong), failure: null });
    if (wrong.length > 0) {
      session?.announce(`Fields that need another value: ${String(wrong.length)}`);
      return;
    }
    setSending(controller);
    try {
      await send(Object.fromEntries(edited.map(({ name, value }) => [name, value])), controller.signal);
    } catch (error) {
      setWrong({ faults: faultsOf(error), failure: isAbort(error) ? null : error });
    }
    setSending(null);
  };
  return (
    <form
      class={props.class}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (sending === null) void submit(new AbortController());
      }}
    >
      {members.map((member) => (
        <MemberField key={member.name} {...{ member, typed, faults, change }} />
      ))}
      {failure === null ? null : <Failure error={failure} />}
      <div class="row">
        <Button type="submit" kind="primary" isIdle={sending !== null}>
          {props.button}
        </Button>
        {props.children}
        {sending === null || props.isAsking === true ? null : (
          <BusyBar label={props.button} onStop={() => sending.abort()} />
        )}
      </div>
    </form>
  );
}

/** A new value is left to the service where it has one. */
function firstTyped(member: Member, base: EntityValues | null): Typed {
  if (base !== null) return base[member.name] === null ? null : typedOf(base[member.name], member);
  if ("isOptional" in member) return member.isOptional ? undefined : null;
  return member.defaultValue !== null || member.hasComputedDefault ? undefined : null;
}

/** Reads a field. A value that the reader did not edit is not judged: it may have another form than people type. */
function readEdited(member: Member, typed: Typed, base: EntityValues | null) {
  const { name, isNullable } = member;
  if (typed === undefined || (base !== null && typed === firstTyped(member, base))) return [];
  if (typed !== null) return [{ name, ...readTypedJson(typed, member) }];
  return [{ name, value: null, message: isNullable ? null : "Required" }];
}

function faultsOf(error: unknown): Faults {
  if (!(error instanceof ServiceError)) return new Map();
  const all = error.details.length === 0 ? [error] : error.details;
  return new Map(all.flatMap(({ target, message }) => (target === null ? [] : [[target, message] as const])));
}

/** Shows the field of a member; a button as long as its value is left to the service. */
function MemberField(props: {
  readonly member: Member;
  readonly typed: ReadonlyMap<string, Typed>;
  readonly faults: Faults;
  readonly change: (name: string, typed: Typed) => void;
}): JSX.Element {
  const { name, description, isNullable, defaultValue } = props.member;
  const label = props.member.label ?? name;
  const typed = props.typed.get(name);
  const onChange = (next: Typed): void => props.change(name, next);
  if (typed === undefined) {
    return (
      <div class="row">
        <span class="field-label">{label}</span>
        <span class="dim">{defaultValue === null ? "left to the service" : `becomes ${defaultValue}`}</span>
        <Button kind="quiet" onClick={() => onChange(null)}>{`Give ${label}`}</Button>
      </div>
    );
  }
  const texts = { label, hint: description, error: props.faults.get(name), required: !isNullable };
  return <ValueField {...texts} {...{ typed, isNullable, onChange }} shape={props.member} />;
}
