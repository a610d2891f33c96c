import type { JSX, TargetedSubmitEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { signInAt } from "../client/provider.ts";
import { isAbort, messageOf } from "../client/service-error.ts";
import { type SignIn, toCredential } from "../client/sign-in.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { BusyBar } from "../parts/loadable.tsx";
import type { Session } from "../state/session.ts";

const FIELDS = {
  key: [{ name: "API key", type: "password", autocomplete: "off", autofocus: true }],
  basic: [
    { name: "Name", type: "text", autocomplete: "username", autofocus: true },
    { name: "Password", type: "password", autocomplete: "current-password" },
  ],
  bearer: [{ name: "Token", type: "password", autocomplete: "off", autofocus: true }],
  oidc: [],
} as const;
const NOUNS = { key: "API key", basic: "name and password", bearer: "token", oidc: "sign-in" } as const;

/** Asks for the credentials of the reader, over the page, which keeps the typed texts. */
export function SignInDialog(props: {
  readonly session: Session;
  readonly signIn: SignIn;
  /** The message of the service to the last attempt; null if the reader wants to sign in. */
  readonly refusal: string | null;
  readonly onClose: () => void;
}): JSX.Element {
  const { session, signIn } = props;
  const service = session.client.root;
  const before = session.credential.peek();
  const wrong = `The service does not accept this ${NOUNS[signIn.kind]}. ${props.refusal ?? ""}`;
  const [refusal, setRefusal] = useState(before === null || props.refusal === null ? null : wrong);
  const [waiting, setWaiting] = useState<AbortController | null>(null);
  useEffect(() => () => waiting?.abort(), [waiting]);
  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (signIn.kind !== "oidc") {
      const [secret = "", user = ""] = Array.from(new FormData(event.currentTarget).values(), String).toReversed();
      void toCredential({ kind: signIn.kind, service }, user, secret).then(session.signInWith);
      return;
    }
    const controller = new AbortController();
    setRefusal(null);
    setWaiting(controller);
    signInAt(signIn, service, controller.signal)
      .then(session.signInWith, (error: unknown) => setRefusal(isAbort(error) ? null : messageOf(error)))
      .finally(() => setWaiting(null));
  };
  return (
    <Dialog title="Sign in" onClose={props.onClose}>
      <form class="stack" onSubmit={onSubmit}>
        <p class="dim">What you enter stays in the memory of this page and ends with it.</p>
        {refusal === null ? null : (
          <p class="notice notice-error" role="alert">
            {refusal}
          </p>
        )}
        {FIELDS[signIn.kind].map((field) => (
          <label key={field.name} class="field">
            <span class="field-label">{field.name}</span>
            <input {...field} class="input" defaultValue={field.type === "text" ? before?.user : ""} required />
          </label>
        ))}
        <Button type="submit" kind="primary" autofocus={signIn.kind === "oidc"} disabled={waiting !== null}>
          {signIn.kind === "oidc" ? `Sign in at ${new URL(signIn.issuer).host}` : "Sign in"}
        </Button>
        {waiting === null ? null : <BusyBar label="Waiting for the provider" onStop={() => waiting.abort()} />}
      </form>
    </Dialog>
  );
}
