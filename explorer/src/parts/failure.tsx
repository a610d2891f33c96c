import type { ComponentChildren, JSX } from "preact";
import { ServiceError, messageOf } from "../client/service-error.ts";
import { Button } from "./button.tsx";

/** Shows what went wrong: the message of the service, its code and the id of the request, and what to try. */
export function Failure(props: {
  readonly error: unknown;
  readonly onAgain?: (() => void) | undefined;
  /** Such as a link that removes the filter. */
  readonly children?: ComponentChildren | undefined;
}): JSX.Element {
  const { error } = props;
  return (
    <div class="notice notice-error" role="alert">
      <h2>{titleOf(error)}</h2>
      <p>{messageOf(error)}</p>
      {error instanceof ServiceError ? <ErrorFacts error={error} /> : null}
      {props.children}
      {props.onAgain === undefined ? null : <Button onClick={props.onAgain}>Try again</Button>}
    </div>
  );
}

function ErrorFacts({ error }: { readonly error: ServiceError }): JSX.Element {
  return (
    <>
      {error.details.length === 0 ? null : (
        <ul>
          {error.details.map((detail, index) => (
            <li key={index}>
              {detail.target === null ? null : <strong>{detail.target}: </strong>}
              {detail.message}
            </li>
          ))}
        </ul>
      )}
      <p class="small dim">
        {`${error.status} `}
        <code>{error.code}</code>
        {error.requestId === null ? null : (
          <>
            {" · request "}
            <code>{error.requestId}</code>
          </>
        )}
      </p>
    </>
  );
}

const TITLES: Readonly<Record<number, string>> = {
  401: "Sign in to see this",
  403: "You may not do this",
  404: "There is nothing here",
  429: "Too many requests: wait a moment",
};

function titleOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return "This did not work";
  return TITLES[error.status] ?? (error.status >= 500 ? "The service failed" : "The service refused this request");
}

/** Shows that the reader stopped a request. */
export function Stopped({ onAgain }: { readonly onAgain: () => void }): JSX.Element {
  return (
    <div class="notice" role="status">
      <p>You stopped this request.</p>
      <Button onClick={onAgain}>Try again</Button>
    </div>
  );
}
