import type { FunctionComponent, JSX } from "preact";
import { Heading } from "../parts/heading.tsx";
import { Failure, Loadable } from "../parts/loadable.tsx";
import type { ScreenProps } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";

/** After an update of the service, the files of its page have other names. */
const MISSING =
  "The code of this screen is not there: the service has a new version, or the network failed. “Try again” loads the page anew.";

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
          <Failure error={new Error(MISSING)} onAgain={() => location.reload()} />
        ) : (
          <Loadable loading={loading} label="Loading the screen" children={() => null} />
        )}
      </>
    );
  };
}
