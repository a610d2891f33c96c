import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Answer } from "../../client/service-client.ts";
import { isAbort } from "../../client/service-error.ts";
import type { EntityValues } from "../../format/merge-columns.ts";
import type { Operation } from "../../model/model.ts";
import { Button } from "../../parts/button.tsx";
import { BusyBar, Failure } from "../../parts/loadable.tsx";
import { type Member, MemberFields, type MemberForm, type Typed, useMemberForm } from "../../parts/member-form.tsx";
import type { OpenSession } from "../../state/session.ts";
import { resourceUrl } from "../../state/view.ts";
import { callPath } from "./call-operation.ts";
import { OperationResult } from "./operation-result.tsx";

/** What the form of an operation calls. */
export interface Callable {
  readonly session: OpenSession;
  readonly operation: Operation;
  /** The path of the resource that the operation is bound to; empty for an import. */
  readonly binding: string;
}

type Run =
  | { readonly kind: "idle" }
  | { readonly kind: "running" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "done"; readonly answer: Answer; readonly path: string };

/** Shows a field for each parameter, and calls the operation. */
export function OperationForm(callable: Callable): JSX.Element {
  const { session, operation } = callable;
  const form = useMemberForm(operation.parameters, firstTyped);
  const { run, start, stop } = useCall(callable, form);
  return (
    <>
      <form
        class="operation-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <MemberFields
          form={form}
          verb="Give"
          textOf={(defaultValue) => (defaultValue === null ? "left out" : `left out: ${defaultValue}`)}
        />
        <Button type="submit" kind="primary">
          {operation.kind === "action" ? "Run the action" : "Call the function"}
        </Button>
      </form>
      {run.kind === "running" ? <BusyBar label={`Calling ${operation.name}`} onStop={stop} /> : null}
      {run.kind === "failed" ? <Failure error={run.error} /> : null}
      {run.kind === "done" ? (
        <OperationResult model={session.model} operation={operation} answer={run.answer} path={run.path} />
      ) : null}
    </>
  );
}

function firstTyped(member: Member): Typed {
  if ("isOptional" in member && member.isOptional) return undefined;
  return member.isNullable ? null : "";
}

/** Calls the operation with what was typed. */
function useCall(callable: Callable, form: MemberForm) {
  const [run, setRun] = useState<Run>({ kind: "idle" });
  const controller = useRef<AbortController | null>(null);
  const start = (): void => {
    const values = form.read();
    if (values === null) return;
    controller.current?.abort();
    const mine = new AbortController();
    controller.current = mine;
    setRun({ kind: "running" });
    call(callable, values, mine.signal).then(
      (done) => {
        callable.session.announce("The operation has ended.");
        setRun(done);
      },
      (error: unknown) => {
        form.refuse(error);
        setRun(isAbort(error) ? { kind: "idle" } : { kind: "failed", error });
      },
    );
  };
  return { run, start, stop: () => controller.current?.abort() };
}

async function call(callable: Callable, values: EntityValues, signal: AbortSignal): Promise<Run> {
  const { session, operation } = callable;
  const { path, options } = callPath(callable, new Map(Object.entries(values)));
  const target = resourceUrl({ path, options });
  const answer =
    operation.kind === "function"
      ? await session.client.get(target, { signal })
      : await session.client.send("POST", target, values, { signal });
  return { kind: "done", answer, path };
}
