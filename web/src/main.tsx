import { render } from "preact";
import { App } from "./App";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/head.css";
import "./styles/talk.css";
import "./styles/composer.css";
import "./styles/compare.css";
import "./styles/brief.css";
import "./styles/filters.css";
import "./styles/wall.css";
import "./styles/albums.css";
import "./styles/hand.css";

render(<App />, document.getElementById("app")!);
