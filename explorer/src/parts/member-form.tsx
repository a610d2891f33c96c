import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { ServiceError, isAbort } from "../client/service-error.ts";
import type { EntityValues } from "../format/entity.ts";
import type { Parameter, Property } from "../model/model.ts";
import { readTypedJson, typedOf } from "../query/literals.ts";
import type { Reference } from "../query/reference.ts";
import { addToDraft, type Draft, dropTyped, keepDraft, type Typed } from "../state/drafts.ts";
import { SessionContext } from "../state/session.ts";
import { Button } from "./button.tsx";
import { BusyBar, Failure } from "./loadable.tsx";
import { TypedField } from "./reference-field.tsx";

/** A property or parameter with a field in a form. */
type Member = Property | Parameter;

type Typeds = ReadonlyMap<string, Typed>;

/** The faults, by the name of the member. */
type Faults = ReadonlyMap<string, string>;

const NOTHING_WRONG: { readonly faults: Faults; readonly failure: unknown } = { faults: new Map(), failure: null };

interface MemberFormProps {
  readonly class: string;
  /** The form, whose typed texts are kept while the reader is elsewhere. */
  readonly form: Omit<Draft, "typed" | "isOpen"> & { readonly id: string };
  readonly members: readonly Member[];
  /** The values that the form begins with; null if there are none. */
  readonly base: EntityValues | null;
  readonly button: string;
  /** Returns what a member refers to as a foreign key. */
  readonly referenceOf?: (name: string) => Reference | null;
  /** Sends the values that changed. Returns what follows; null if the reader stopped it, and goes on typing. A fault that the service finds in a member is shown at its field. */
  readonly send: (values: EntityValues, signal: AbortSignal) => Promise<(() => void) | null>;
  /** Called after the reader has discarded the typed texts. */
  readonly onDiscard?: () => void;
  /** Makes the content next to the button. @param discard gives up what was typed */
  readonly children?: (discard: () => void) => ComponentChildren;
}

/** Shows a form with a field for each member, and a button that sends the typed values. */
export function MemberForm(props: MemberFormProps): JSX.Element {
  const { members, base, send } = props;
  const session = useContext(SessionContext);
  const { typed, setTyped, isDraft, discard, forget } = useTyped(props);
  const { form, faults, failure, setWrong, showWrong } = useFaults(typed, setTyped);
  const [sending, setSending] = useState<AbortController | null>(null);
  const change = (name: string, next: Typed): void => {
    setTyped(new Map([...typed, [name, next]]));
    setWrong({ faults: new Map([...faults].filter(([each]) => each !== name)), failure });
  };
  const submit = async (controller: AbortController): Promise<void> => {
    const edited = members.flatMap((member) => readEdited(member, typed.get(member.name), base));
    const wrong = edited.flatMap(({ name, message }) => (message === null ? [] : [[name, message] as const]));
    if (wrong.length > 0) return showWrong(new Map(wrong), null);
    setWrong(NOTHING_WRONG);
    setSending(controller);
    try {
      const values = Object.fromEntries(edited.map(({ name, value }) => [name, value]));
      const follow = await send(values, controller.signal);
      if (follow !== null) {
        forget();
        follow();
      }
    } catch (error) {
      showWrong(faultsOf(error, members), isAbort(error) ? null : error);
    }
    setSending(null);
  };
  return (
    <form
      ref={form}
      class={props.class}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (sending === null) void submit(new AbortController());
      }}
    >
      {isDraft ? <p role="status">What you typed before is still here, and not saved.</p> : null}
      {members.map((member) => (
        <MemberField
          key={member.name}
          {...{ member, typed, faults, change }}
          reference={props.referenceOf?.(member.name) ?? null}
        />
      ))}
      {failure === null ? null : <Failure error={failure} />}
      <div class="row">
        <Button type="submit" kind="primary" isIdle={sending !== null}>
          {props.button}
        </Button>
        {isDraft ? <Button onClick={discard}>Discard it</Button> : null}
        {props.children?.(discard)}
        {sending === null || session?.dialog.value !== null ? null : (
          <BusyBar label={props.button} onStop={() => sending.abort()} />
        )}
      </div>
    </form>
  );
}

/** Holds the faults, of which the first gets the focus. */
function useFaults(typed: Typeds, setTyped: (typed: Typeds) => void) {
  const session = useContext(SessionContext);
  const form = useRef<HTMLFormElement>(null);
  const [{ faults, failure }, setWrong] = useState(NOTHING_WRONG);
  const showWrong = (wrong: Faults, cause: unknown): void => {
    setWrong({ faults: wrong, failure: cause });
    if (wrong.size === 0) return;
    // A value that was left to the service gets a field.
    const unstated = [...wrong.keys()].filter((name) => typed.has(name) && typed.get(name) === undefined);
    if (unstated.length > 0) setTyped(new Map([...typed, ...unstated.map((name) => [name, null] as const)]));
    session?.announce(`Fields that need another value: ${String(wrong.size)}`);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  useEffect(() => {
    // The service asked to sign in, and the user did.
    if (failure instanceof ServiceError && failure.status === 401) setWrong({ faults, failure: null });
  }, [session?.signIns.value]);
  return { form, faults, failure, setWrong, showWrong };
}

/** Holds the typed texts, which the session keeps while the reader is elsewhere. */
function useTyped({ members, base, form, onDiscard }: MemberFormProps) {
  const drafts = useContext(SessionContext)?.drafts;
  const [first] = useState(() => new Map(members.map((member) => [member.name, firstTyped(member, base)])));
  // The draft may have fields that this form does not show.
  const ownOf = (all: Typeds = new Map()): Typeds => new Map([...all].filter(([name]) => first.has(name)));
  const [draft, setDraft] = useState(() => ownOf(drafts?.peek().get(form.id)?.typed));
  const [typed, setAll] = useState<Typeds>(() => new Map([...first, ...draft]));
  useEffect(() => {
    const open = (isOpen: boolean): void => {
      const kept = drafts?.peek().get(form.id);
      if (drafts !== undefined && kept !== undefined) keepDraft(drafts, form.id, { ...kept, isOpen });
    };
    open(true);
    return () => open(false);
  }, []);
  const setTyped = (all: Typeds): void => {
    const changed = new Map([...all].filter(([name, text]) => text !== first.get(name)));
    const next = { ...form, typed: changed, isOpen: true };
    if (drafts !== undefined) addToDraft(drafts, form.id, next, new Set(first.keys()));
    setAll(all);
  };
  const drop = (isDropped: (name: string, text: Typed) => boolean): void => {
    if (drafts !== undefined) dropTyped(drafts, form.id, isDropped);
    setDraft(new Map());
  };
  /** The texts are sent; those that the reader typed meanwhile are not. */
  const forget = (): void => drop((name, text) => first.has(name) && text === typed.get(name));
  const discard = (): void => {
    drop((name) => first.has(name));
    setAll(first);
    onDiscard?.();
  };
  return { typed, isDraft: draft.size > 0, setTyped, forget, discard };
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

/** A fault within a complex value is that of its member. */
function faultsOf(error: unknown, members: readonly Member[]): Faults {
  if (!(error instanceof ServiceError)) return new Map();
  const all = error.details.length === 0 ? [error] : error.details;
  const nameOf = (target: string): string =>
    members.find(({ name }) => `${target}/`.startsWith(`${name}/`) || target.startsWith(`${name}[`))?.name ?? target;
  return new Map(all.flatMap(({ target, message }) => (target === null ? [] : [[nameOf(target), message] as const])));
}

/** Shows the field of a member; a button as long as its value is left to the service. */
function MemberField(props: {
  readonly member: Member;
  readonly typed: Typeds;
  readonly faults: Faults;
  readonly change: (name: string, typed: Typed) => void;
  readonly reference: Reference | null;
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
  const field = { ...texts, typed, isNullable, onChange, shape: props.member };
  return <TypedField {...field} reference={props.reference} />;
}
