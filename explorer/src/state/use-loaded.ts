import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { ServiceError, isAbort } from "../client/service-error.ts";
import { SessionContext } from "./session.ts";

/** What becomes of a question to the service. */
export type Loaded<Value> =
  | { readonly kind: "loading" }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "loaded"; readonly value: Value };

/** A question to the service, and what a reader can do about it. */
export interface Loading<Value> {
  readonly state: Loaded<Value>;
  /** The last value, which may stay on the screen while the next one is loading. */
  readonly last: Value | null;
  /** Ends the request. */
  readonly stop: () => void;
  /** Asks again. */
  readonly again: () => void;
}

interface Found<Value> {
  readonly key: string;
  readonly state: Loaded<Value>;
}

/**
 * Asks when a screen appears and whenever the key changes. A request whose answer nobody needs any more is ended.
 * @param key what the question depends on, such as the URL
 */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loading<Value> {
  const [found, setFound] = useState<Found<Value> | null>(null);
  const [round, setRound] = useState(0);
  const session = useContext(SessionContext);
  const changes = session?.changes.value ?? 0;
  const signedIn = session?.credentials.changes.value ?? 0;
  const last = useRef<Value | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => {
    const mine = new AbortController();
    controller.current = mine;
    const setState = (state: Loaded<Value>): void => {
      setFound({ key, state });
    };
    setState({ kind: "loading" });
    load(mine.signal).then(
      (value) => {
        if (mine.signal.aborted) return;
        last.current = value;
        setState({ kind: "loaded", value });
      },
      (error: unknown) => {
        if (!mine.signal.aborted) setState(isAbort(error) ? { kind: "stopped" } : { kind: "failed", error });
      },
    );
    return () => mine.abort();
    // The question is the same as long as the key is.
  }, [key, round, changes]);
  const stop = useCallback(() => {
    controller.current?.abort();
    setFound({ key, state: { kind: "stopped" } });
  }, [key]);
  const again = useCallback(() => setRound((number) => number + 1), []);
  useEffect(() => {
    const error = found?.state.kind === "failed" ? found.state.error : null;
    // The service asked to sign in, and the user did.
    if (error instanceof ServiceError && error.status === 401) again();
  }, [signedIn]);
  // What was found for another key is no answer to this question.
  const state: Loaded<Value> = found?.key === key ? found.state : { kind: "loading" };
  return { state, last: last.current, stop, again };
}
