import { render } from "preact";
import { App } from "./App";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/talk.css";
import "./styles/brief.css";
import "./styles/wall.css";
import "./styles/picture.css";
import "./styles/pages.css";

render(<App />, document.getElementById("app")!);
