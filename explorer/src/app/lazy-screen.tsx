import type { FunctionComponent, JSX } from "preact";
import { SILENCE } from "../client/service-client.ts";
import { Heading } from "../parts/heading.tsx";
import { Failure, Loadable } from "../parts/loadable.tsx";
import type { ScreenProps } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";

/** After an update of the service, the files of its page have other names. */
const MISSING = "The code of this screen is absent. “Try again” loads the page anew.";

/** Shows that the code of a screen did not come. Without a network, a new load of the page would lose what is on it. */
function Missing({ onAgain }: { readonly onAgain: () => void }): JSX.Element {
  const error = new Error(navigator.onLine ? MISSING : SILENCE);
  return <Failure error={error} onAgain={() => (navigator.onLine ? location.reload() : onAgain())} />;
}

/** Makes a screen whose code the browser loads when the screen is shown first. */
export function lazyScreen(
  title: string,
  load: () => Promise<FunctionComponent<ScreenProps>>,
): FunctionComponent<ScreenProps> {
  return function LazyScreen(props: ScreenProps): JSX.Element {
    const loading = useLoaded(title, async () => ({ Content: await load() }));
    // Changes of the data load the code anew, which the browser has.
    if (loading.last !== null) return <loading.last.Content {...props} />;
    return (
      <>
        <Heading>{title}</Heading>
        {loading.state.kind === "failed" ? (
          <Missing onAgain={loading.again} />
        ) : (
          <Loadable loading={loading} label="Loading the screen" children={() => null} />
        )}
      </>
    );
  };
}
