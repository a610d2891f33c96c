import { useContext, useEffect, useState } from "preact/hooks";
import { ServiceError, isRefused } from "../client/service-error.ts";
import { SessionContext } from "./session.ts";

/** The state of a request to the service. */
export type Loaded<Value> =
  | { readonly kind: "loading" | "stopped" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "loaded"; readonly value: Value };

/** A question to the service, with its state and the ways to stop and repeat it. */
export interface Loading<Value> {
  readonly state: Loaded<Value>;
  /** The last value, which may stay on the screen while the next one is loading. */
  readonly last: Value | null;
  readonly stop: () => void;
  readonly again: () => void;
}

const LOADING = { kind: "loading" } as const;
type Found<Value> = Omit<Loading<Value>, "again"> & { readonly key: string };

/** Asks when a screen appears and whenever the key changes. @param key identifies the question, such as its URL */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loading<Value> {
  const session = useContext(SessionContext);
  const [round, setRound] = useState(0);
  const again = (): void => setRound((number) => number + 1);
  const [found, setFound] = useState<Found<Value>>({ key, state: LOADING, last: null, stop: again });
  useEffect(() => {
    const controller = new AbortController();
    const show = (state: Loaded<Value>): void => {
      if (controller.signal.aborted) return;
      setFound(({ last }) => ({ key, state, stop, last: state.kind === "loaded" ? state.value : last }));
    };
    const stop = (): void => {
      show({ kind: "stopped" });
      controller.abort();
    };
    show(LOADING);
    load(controller.signal).then(
      (value) => show({ kind: "loaded", value }),
      (error: unknown) => show({ kind: "failed", error }),
    );
    return () => controller.abort();
    // The question is the same as long as the key is.
  }, [key, round, session?.changes.value]);
  useEffect(() => {
    const { state } = found;
    // The service asked to sign in, and the user did.
    if (state.kind === "failed" && state.error instanceof ServiceError && state.error.status === 401) again();
  }, [session?.signIns.value]);
  // The answer for another key does not answer this question. A refused one changes once the rules of the user are known.
  const isEarly = session?.isAboutLate === true && found.state.kind === "failed" && isRefused(found.state.error);
  return { ...found, state: found.key !== key || isEarly ? LOADING : found.state, again };
}
