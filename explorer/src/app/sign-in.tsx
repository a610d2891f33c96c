import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Credential } from "../client/credentials.ts";
import type { SignIn as SignInKind } from "../client/sign-in.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Heading } from "../parts/heading.tsx";
import type { Session, SignInRequest } from "../state/session.ts";
import { ProviderSignIn } from "./provider-sign-in.tsx";

interface SignInProps {
  readonly session: Session;
  readonly request: SignInRequest;
}

/** Asks for the credential before the page can show anything. It stays in the memory of the page. */
export function SignIn(props: SignInProps): JSX.Element {
  const main = useRef<HTMLElement>(null);
  useFirstInput(main, props.request);
  return (
    <main class="main main-bare stack" ref={main}>
      <Heading>Sign in</Heading>
      <SignInContent {...props} />
      {props.session.credentials.current === null ? null : (
        <Button
          kind="quiet"
          onClick={() => {
            props.session.signInWith(null);
          }}
        >
          Go on without
        </Button>
      )}
    </main>
  );
}

function useFirstInput(place: { readonly current: HTMLElement | null }, request: SignInRequest): void {
  useEffect(() => {
    place.current?.querySelector<HTMLElement>("input, .button-primary")?.focus();
  }, [request]);
}

/** Asks for the credential over the page, which keeps what was typed. */
export function SignInDialog(props: SignInProps): JSX.Element {
  const { session } = props;
  const content = useRef<HTMLDivElement>(null);
  useFirstInput(content, props.request);
  return (
    <Dialog
      title="Sign in"
      onClose={() => {
        session.signInRequest.value = null;
      }}
    >
      <div class="stack" ref={content}>
        <SignInContent {...props} />
      </div>
    </Dialog>
  );
}

function SignInContent({ session, request: { error } }: SignInProps): JSX.Element {
  const before = session.credentials.current;
  const challenge = readChallenge(error?.headers.get("WWW-Authenticate") ?? "", session.signIn?.kind);
  return (
    <>
      <p class="dim">
        This service asks who you are. What you enter stays in the memory of this page and ends with it.
      </p>
      {error === null || before === null ? null : (
        <p class="notice notice-error" role="alert">
          {error.message}
        </p>
      )}
      {session.signIn?.kind === "oidc" ? (
        <ProviderSignIn settings={session.signIn} onSignIn={session.signInWith} />
      ) : (
        <SignInForm
          challenge={challenge}
          name={before?.kind === "basic" ? before.name : ""}
          onSignIn={session.signInWith}
        />
      )}
    </>
  );
}

/** What a service asks for. */
type Challenge = { readonly kind: "basic" | "bearer" } | { readonly kind: "key"; readonly header: string };

/** Reads `WWW-Authenticate`, unless the page says how users sign in. @see RFC 9110, section 11.6.1 */
function readChallenge(header: string, stated: SignInKind["kind"] | undefined): Challenge {
  if (stated === "basic" || (stated === undefined && /^basic\b/iu.test(header))) return { kind: "basic" };
  if (stated === "bearer" || (stated === undefined && /^bearer\b/iu.test(header))) return { kind: "bearer" };
  return { kind: "key", header: /\bheader="(?<name>[\w-]+)"/u.exec(header)?.groups?.["name"] ?? "X-Api-Key" };
}

function SignInForm(props: {
  readonly challenge: Challenge;
  /** The name of the attempt before. */
  readonly name: string;
  readonly onSignIn: (credential: Credential) => void;
}): JSX.Element {
  const { challenge, onSignIn } = props;
  const [name, setName] = useState(props.name);
  const [secret, setSecret] = useState("");
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSignIn(credentialOf(challenge, name, secret));
      }}
    >
      {challenge.kind === "basic" ? (
        <TextField label="Name" value={name} onInput={setName} autocomplete="username" required />
      ) : null}
      <TextField
        label={SECRETS[challenge.kind]}
        value={secret}
        onInput={setSecret}
        type="password"
        autocomplete={challenge.kind === "basic" ? "current-password" : "off"}
        required
      />
      <Button type="submit" kind="primary">
        Sign in
      </Button>
    </form>
  );
}

const SECRETS: Readonly<Record<Challenge["kind"], string>> = { basic: "Password", bearer: "Token", key: "API key" };

function credentialOf(challenge: Challenge, name: string, secret: string): Credential {
  switch (challenge.kind) {
    case "basic":
      return { kind: "basic", name, password: secret };
    case "bearer":
      return { kind: "bearer", token: secret, name: null };
    case "key":
      return { kind: "key", header: challenge.header, key: secret };
  }
}
