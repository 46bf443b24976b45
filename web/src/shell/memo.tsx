/** Parts that are rendered again only where something that they show has changed. */
import { Component, type ComponentType } from "preact";

/**
 * As `memo` of preact/compat; that module would also make every `change` of a field in the page an `input`, so that
 * what is to happen once somebody has typed would happen with each letter.
 */
export function memo<P extends object>(
  Part: ComponentType<P>,
  same: (before: P, after: P) => boolean,
): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !same(this.props as P, next);
    }

    override render() {
      return <Part {...(this.props as P)} />;
    }
  };
}
