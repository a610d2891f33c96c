import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getAllowed } from "../client/service-client.ts";
import { ServiceError, messageOf } from "../client/service-error.ts";
import { type Entity, toEntity } from "../format/entity.ts";
import type { OpenSession } from "../state/session.ts";
import { type Loading, useLoaded } from "../state/use-loaded.ts";
import { hrefOf, viewOf } from "../state/view.ts";
import { Button } from "./button.tsx";
import { Heading } from "./heading.tsx";

/** Shows a loaded value, or that it is loading, was stopped, or failed. */
export function Loadable<Value>(props: {
  readonly loading: Loading<Value>;
  readonly label: string;
  /** The number of lines to show during the request; 5 if absent. */
  readonly lines?: number | undefined;
  readonly children: (value: Value) => ComponentChildren;
}): JSX.Element {
  const { state, stop, again } = props.loading;
  switch (state.kind) {
    case "loading":
      return (
        <div class="busy" role="status" aria-busy="true">
          <span class="hidden">{props.label}</span>
          <BusyBar label={props.label} onStop={stop} />
          {Array.from({ length: props.lines ?? 5 }, (_, index) => (
            <div key={index} class="busy-line" />
          ))}
        </div>
      );
    case "stopped":
      return (
        <div class="notice" role="status">
          <p>You stopped this request.</p>
          <Button onClick={again}>Try again</Button>
        </div>
      );
    case "failed":
      return <Failure error={state.error} onAgain={again} />;
    case "loaded":
      return <>{props.children(state.value)}</>;
  }
}

/** Shows progress, and a way to stop it; nothing for the first half second. */
export function BusyBar(props: {
  /** Such as "Loading Orders". */
  readonly label: string;
  readonly onStop: () => void;
}): JSX.Element | null {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 500);
    return () => clearTimeout(timer);
  }, []);
  return isLong ? (
    <div class="busy-note">
      <progress aria-label={props.label} />
      <span class="dim">{props.label} …</span>
      <Button onClick={props.onStop}>Stop</Button>
    </div>
  ) : null;
}

/** By status, or by its first digit. */
const TITLES: Readonly<Record<number, string>> = {
  401: "Sign in to see this",
  403: "You may not do this",
  404: "There is nothing here",
  4: "The service refused this request",
  5: "The service failed",
};

/** Shows a failure: the message of the service, its code, the id of the request, and advice. */
export function Failure(props: { readonly error: unknown; readonly onAgain?: (() => void) | undefined }): JSX.Element {
  const answer = props.error instanceof ServiceError ? props.error : null;
  const { status = 0, code = "", requestId, details = [] } = answer ?? {};
  return (
    <div class="notice notice-error" role="alert">
      <h2>{TITLES[status] ?? TITLES[Math.trunc(status / 100)] ?? "This did not work"}</h2>
      <p>{messageOf(props.error)}</p>
      {details.map(({ target, message }, index) => (
        <p key={index}>{target === null || message.startsWith(`${target}: `) ? message : `${target}: ${message}`}</p>
      ))}
      {answer === null ? null : (
        <p class="small dim">{`${status} ${code} · request ${requestId ?? "without an id"}`}</p>
      )}
      {props.onAgain === undefined ? null : <Button onClick={props.onAgain}>Try again</Button>}
    </div>
  );
}

/** Shows that there is nothing, the usual content of this place, and the next step. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

/** Shows that a path leads to nothing that the screen can show. */
export function NotThere(props: {
  readonly path: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <Heading>{props.path}</Heading>
      <Empty title={props.title}>
        {props.children}
        <a href={hrefOf(viewOf("home"))}>Go to the start</a>
      </Empty>
    </>
  );
}

/** Reads the record of a URL; null if there is none. @param plain the URL if the service refuses the first one */
export function useRecord({ client }: OpenSession, url: string, plain = url): Loading<Entity | null> {
  return useLoaded(url, async (signal) => toEntity((await getAllowed(client, url, plain, { signal })).body));
}

/** Shows a record, or why it is not there. */
export function LoadedRecord(props: {
  readonly loading: Loading<Entity | null>;
  readonly children: (entity: Entity) => ComponentChildren;
}): JSX.Element {
  return (
    <Loadable loading={props.loading} label="Loading the record">
      {(entity) => (entity === null ? <Empty title="There is no record at this path" /> : props.children(entity))}
    </Loadable>
  );
}
