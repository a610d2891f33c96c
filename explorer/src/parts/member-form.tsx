import type { ComponentChildren, JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import { ServiceError, isAbort } from "../client/service-error.ts";
import { type EntityValues, isSameValue } from "../format/merge-columns.ts";
import type { Parameter, Property } from "../model/model.ts";
import { readTypedJson, typedOf } from "../query/typed-json.ts";
import { SessionContext } from "../state/session.ts";
import { BusyBar } from "./busy.tsx";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";
import { ValueField } from "./value-field.tsx";

/** What has a field in a form. */
type Member = Property | Parameter;

/** What was typed: null is the value null, or no value where one is required; undefined leaves the value to the service. */
type Typed = string | null | undefined;

/** Keeps what is typed in a form, what is wrong with it, and what becomes of it. `base` are the values that it begins with. */
export function useMemberForm(members: readonly Member[], base: EntityValues | null) {
  const session = useContext(SessionContext);
  const [typed, setTyped] = useState(() => new Map(members.map((member) => [member.name, firstTyped(member, base)])));
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [failure, setFailure] = useState<unknown>(null);
  const [sending, setSending] = useState<AbortController | null>(null);
  const change = (name: string, value: Typed): void => {
    setTyped(new Map([...typed, [name, value]]));
    setFaults(new Map([...faults].filter(([each]) => each !== name)));
  };
  /** Returns the values that changed; null if one of them is wrong, which its field shows from then on. */
  const read = (): EntityValues | null => {
    const edited = members.flatMap((member) => {
      const text = typed.get(member.name);
      // A value that nobody edited is not judged: it may be of another form than people type.
      if (text === undefined || (base !== null && text === firstTyped(member, base))) return [];
      const isMissing = text === null && !member.isNullable;
      const read =
        text === null ? { value: null, message: isMissing ? "Required" : null } : readTypedJson(text, member);
      const isSame = base !== null && isSameValue(base[member.name], read.value, member);
      return isSame && read.message === null ? [] : [{ name: member.name, ...read }];
    });
    const wrong = edited.flatMap(({ name, message }) => (message === null ? [] : [[name, message] as const]));
    setFaults(new Map(wrong));
    if (wrong.length === 0) return Object.fromEntries(edited.map(({ name, value }) => [name, value]));
    session?.announce(`Fields that need another value: ${String(wrong.length)}`);
    return null;
  };
  /** Sends what was read. What the service says of a member is shown at its field. */
  const send = (work: (signal: AbortSignal) => Promise<void>): void => {
    const controller = new AbortController();
    setSending(controller);
    setFailure(null);
    work(controller.signal)
      .catch((error: unknown) => {
        if (error instanceof ServiceError) setFaults(faultsOf(error));
        if (!isAbort(error)) setFailure(error);
      })
      .finally(() => setSending(null));
  };
  return { members, typed, faults, failure, sending, change, read, send };
}

/** A new value is left to the service where it has one. */
function firstTyped(member: Member, base: EntityValues | null): Typed {
  if (base !== null) return base[member.name] === null ? null : typedOf(base[member.name], member);
  if ("isOptional" in member) return member.isOptional ? undefined : null;
  return member.defaultValue !== null || member.hasComputedDefault ? undefined : null;
}

function faultsOf(error: ServiceError): ReadonlyMap<string, string> {
  const all = error.details.length === 0 ? [error] : error.details;
  return new Map(all.flatMap(({ target, message }) => (target === null ? [] : [[target, message] as const])));
}

interface FormProps {
  readonly form: ReturnType<typeof useMemberForm>;
}

/** Shows a form with a field for each member, and a button that uses what was typed. */
export function MemberForm(
  props: FormProps & {
    readonly class: string;
    readonly button: string;
    /** What happens after it, such as "Saving". */
    readonly busy: string;
    readonly onSubmit: (values: EntityValues) => void;
    /** What stands beside the button. */
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const { members, failure, sending, read } = props.form;
  return (
    <form
      class={props.class}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const values = sending === null ? read() : null;
        if (values !== null) props.onSubmit(values);
      }}
    >
      {members.map((member) => (
        <MemberField key={member.name} form={props.form} member={member} />
      ))}
      {failure === null ? null : <Failure error={failure} />}
      <div class="row">
        <Button type="submit" kind="primary" isIdle={sending !== null}>
          {props.button}
        </Button>
        {props.children}
        {sending === null ? null : <BusyBar label={props.busy} onStop={() => sending.abort()} />}
      </div>
    </form>
  );
}

/** Shows the field of a member; a button as long as its value is left to the service. */
function MemberField({ form, member }: FormProps & { readonly member: Member }): JSX.Element {
  const { name, description, isNullable, defaultValue } = member;
  const label = member.label ?? name;
  const typed = form.typed.get(name);
  const onChange = (next: Typed): void => form.change(name, next);
  if (typed === undefined) {
    return (
      <div class="row">
        <span class="field-label">{label}</span>
        <span class="dim">{defaultValue === null ? "left to the service" : `becomes ${defaultValue}`}</span>
        <Button kind="quiet" onClick={() => onChange(null)}>{`Give ${label}`}</Button>
      </div>
    );
  }
  const texts = { label, hint: description, error: form.faults.get(name) };
  return <ValueField {...{ ...texts, typed, isNullable, onChange }} shape={member} required={!isNullable} />;
}
