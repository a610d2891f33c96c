import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Credential } from "../client/credentials.ts";
import { signInAtProvider } from "../client/oidc.ts";
import { isAbort, messageOf } from "../client/service-error.ts";
import type { SignIn } from "../client/sign-in.ts";
import { BusyBar } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";

/** Shows the button that signs in at an OpenID Connect provider, in a window of its own. */
export function ProviderSignIn(props: {
  readonly settings: SignIn & { readonly kind: "oidc" };
  readonly onSignIn: (credential: Credential) => void;
}): JSX.Element {
  const { settings, onSignIn } = props;
  const [error, setError] = useState<string | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const start = (): void => {
    const mine = new AbortController();
    controller.current = mine;
    setError(null);
    setWaiting(true);
    signInAtProvider(settings, location.origin + location.pathname, mine.signal)
      .then(onSignIn, (failure: unknown) => {
        if (!isAbort(failure)) setError(messageOf(failure));
      })
      .finally(() => setWaiting(false));
  };
  return (
    <div class="stack">
      {error === null ? null : (
        <p class="notice notice-error" role="alert">
          {error}
        </p>
      )}
      <Button kind="primary" onClick={start} disabled={isWaiting}>
        {`Sign in at ${new URL(settings.issuer).host}`}
      </Button>
      {isWaiting ? <BusyBar label="Waiting for the provider" onStop={() => controller.current?.abort()} /> : null}
    </div>
  );
}
