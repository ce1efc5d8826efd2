"""The folder tree next to the list of templates, expanded down to the open folder."""

from dataclasses import dataclass, field

from django.urls import reverse

from registry.templates.search_counts import Folder

__all__ = ["Branch", "Link", "find_folder", "open_branches"]


@dataclass(frozen=True)
class Link:
    """An option of a menu, as a link."""

    word: str
    url: str
    on: bool = False


@dataclass(frozen=True)
class Branch:
    """A folder in the tree; only those on the path to the open folder show their children and templates."""

    name: str
    path: str
    count: int
    open: bool
    current: bool
    parent: bool
    children: list["Branch"] = field(default_factory=list)
    leaves: list["Link"] = field(default_factory=list)


def find_folder(folders: list[Folder], path: str) -> Folder | None:
    """The folder with this path in the tree; None if there isn't one."""
    for folder in folders:
        if folder.path == path:
            return folder
        if path.startswith(f"{folder.path}/"):
            return find_folder(folder.folders, path)
    return None


def open_branches(folders: list[Folder], path: str) -> list[Branch]:
    """The folder tree while the folder with this path is open."""
    return [
        Branch(
            name=folder.name,
            path=folder.path,
            count=folder.count,
            open=is_open,
            current=folder.path == path,
            parent=folder.has_folders,
            children=open_branches(folder.folders, path) if is_open else [],
            leaves=[Link(name.rpartition("/")[2], reverse("template", args=[name])) for name in folder.templates],
        )
        for folder in folders
        for is_open in [f"{path}/".startswith(f"{folder.path}/")]
    ]
