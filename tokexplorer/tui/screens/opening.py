"""The file dialog: walks directories, takes a typed path, several files at once; texts and tokenizers alike."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import DirectoryTree, Input, Static
from textual.widgets._directory_tree import DirEntry
from textual.widgets.tree import TreeNode

from tokexplorer.engine.glyphs import safe
from tokexplorer.files.sources import shown_path


class SafeTree(DirectoryTree):
    """Textual's directory tree with names that passed `glyphs`, hidden files left out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "screen.gather", "Gather", show=False),
        Binding("backspace", "screen.parent", "Parent folder", show=False),
    ]

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        """Without dot-files."""
        return [path for path in paths if not path.name.startswith(".")]

    def render_label(self, node: TreeNode[DirEntry], base_style: Style, style: Style) -> Text:
        """The name of a file or folder, made safe."""
        name = safe(str(node.label))
        folder = node.data is not None and node.data.path.is_dir()
        arrow = ("▾ " if node.is_expanded else "▸ ") if folder else "  "
        return Text(arrow + name + ("/" if folder else ""), style)


class OpenScreen(ModalScreen[tuple[str, ...] | None]):
    """Gives the chosen paths. Space gathers several; Enter opens them, or the one under the cursor."""

    CSS = """
    OpenScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 84; max-width: 98%; height: 90%;
            padding: 0 1; border: round $accent; background: $surface;
        }
        & .hint { color: $foreground 60%; height: auto; }
        & .problem { color: $error; height: auto; }
        & .gathered { color: $success; height: auto; max-height: 4; }
        & SafeTree { height: 1fr; background: $surface; }
        & Input { background: $panel; margin: 0 0 1 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel"),
    ]

    def __init__(self, start: str = ".") -> None:
        super().__init__()
        self._start = str(Path(start).expanduser().absolute())
        self._gathered: list[str] = []

    def compose(self) -> ComposeResult:
        """A path to type, a tree to walk."""
        with Vertical() as box:
            box.border_title = "Open texts or tokenizers"
            yield Input(
                placeholder="type a path, then Enter; Tab goes to the tree", compact=True, select_on_focus=False
            )
            yield Static("", classes="problem", markup=False)
            yield SafeTree(self._start)
            yield Static("", classes="gathered", markup=False)
            hint = "Enter opens · Space gathers several files · Backspace goes up a folder · Tab · Esc"
            yield Static(Text(hint), classes="hint")

    def on_mount(self) -> None:
        """Begin in the tree."""
        self.query_one(SafeTree).focus()

    def on_key(self, event: events.Key) -> None:
        """Letters that are typed in the tree begin a path, or go on with it."""
        field = self.query_one(Input)
        if event.character is not None and event.is_printable and event.character != " " and not field.has_focus:
            event.stop()
            field.focus()
            field.insert_text_at_cursor(event.character)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """A typed path: a folder is walked to, a file is opened."""
        event.stop()
        if not event.value.strip():
            return
        path = Path(event.value.strip()).expanduser()
        if path.is_dir():
            self._walk_to(path)
        elif path.exists():
            self.dismiss((*self._gathered, str(path)))
        else:
            self._say(f"{shown_path(path)}: no such file")

    def _walk_to(self, folder: Path) -> None:
        tree = self.query_one(SafeTree)
        tree.path = folder.absolute()
        tree.focus()
        self._say("")

    def _say(self, words: str) -> None:
        self.query_one(".problem", Static).update(Text(safe(words)))

    def on_directory_tree_file_selected(self, event: DirectoryTree.FileSelected) -> None:
        """A file was chosen in the tree."""
        event.stop()
        path = str(event.path)
        self.dismiss((*self._gathered, path) if path not in self._gathered else tuple(self._gathered))

    def action_gather(self) -> None:
        """Put the file under the cursor to those to be opened, or take it away again."""
        node = self.query_one(SafeTree).cursor_node
        if node is None or node.data is None or node.data.path.is_dir():
            return
        path = str(node.data.path)
        if path in self._gathered:
            self._gathered.remove(path)
        else:
            self._gathered.append(path)
        names = ", ".join(shown_path(Path(p).name) for p in self._gathered)
        self.query_one(".gathered", Static).update(Text(f"{len(self._gathered)} gathered: {names}" if names else ""))

    def action_parent(self) -> None:
        """Go up one folder."""
        tree = self.query_one(SafeTree)
        self._walk_to(Path(tree.path).parent)

    def action_leave(self) -> None:
        """Nothing."""
        self.dismiss(None)
