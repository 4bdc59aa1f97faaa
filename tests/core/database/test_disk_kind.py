"""Where a database may live: on a disk of this machine that nothing else copies."""

import json
from pathlib import Path

import pytest

from app.core.database import disk_kind
from tests.support.serving import refused, serving

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / /mnt/nas rw,relatime shared:2 - nfs4 server:/x rw,vers=4.2
31 22 0:41 / /mnt/my\\040share rw - cifs //server/share rw
32 30 8:2 / /mnt/nas/local rw - ext4 /dev/vdb rw
33 22 0:42 / /mnt/c rw - 9p C: rw,aname=drvfs;path=C:
34 22 0:43 / /mnt/other rw - 9p share rw,trans=virtio
35 22 0:44 / /mnt/twice rw - ext4 /dev/vdc rw
36 22 0:45 / /mnt/twice rw - fuse.sshfs host:/ rw
37 22 0:46 / / rw - overlay overlay rw
nonsense
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ann/data", ""),
        ("/mnt/nas/data", "nfs4"),
        ("/mnt/nas", "nfs4"),
        ("/mnt/my share/data", "cifs"),
        ("/mnt/nas/local/data", ""),
        ("/mnt/nasty/data", ""),
        ("/mnt/c/Users/ann", "cifs"),
        ("/mnt/other/data", ""),
        ("/mnt/twice/data", "fuse.sshfs"),
    ],
)
def test_a_network_file_system_is_known_by_the_mount_that_a_path_lies_on(
    tmp_path: Path, path: str, kind: str
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert disk_kind.network_file_system(Path(path), mounts=mounts) == kind


def test_where_nobody_says_what_is_mounted_nothing_is_refused(tmp_path: Path) -> None:
    assert disk_kind.network_file_system(tmp_path, mounts=tmp_path / "missing") == ""


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("Dropbox/hearth", "Dropbox"),
        ("Dropbox (Personal)/x", "Dropbox"),
        ("OneDrive/x", "OneDrive"),
        ("OneDrive - Firm/x", "OneDrive"),
        ("Library/Mobile Documents/com~apple~CloudDocs/x", "iCloud"),
        ("Library/CloudStorage/GoogleDrive-a@b.c/x", "GoogleDrive"),
        ("Google Drive/x", "Google Drive"),
        ("Nextcloud/x", "Nextcloud"),
        ("dropbox-clone/x", ""),
        ("My OneDrive notes/x", ""),
        ("data", ""),
    ],
)
def test_a_synchronised_folder_is_known_by_its_name(
    tmp_path: Path, path: str, service: str
) -> None:
    assert disk_kind.sync_service(tmp_path / path, home=tmp_path) == service


@pytest.mark.parametrize(
    ("marker", "service"),
    [
        (".stfolder", "Syncthing"),
        (".dropbox.cache", "Dropbox"),
        (".tmp.drivedownload", "Google Drive"),
        (".git", ""),
        (".dropbox", ""),
    ],
)
def test_a_synchronised_folder_is_known_by_what_its_service_keeps_there(
    tmp_path: Path, marker: str, service: str
) -> None:
    (tmp_path / "synced" / marker).mkdir(parents=True)
    assert disk_kind.sync_service(tmp_path / "synced" / "deep" / "data", home=tmp_path) == service
    assert disk_kind.sync_service(tmp_path / "beside", home=tmp_path) == ""


@pytest.mark.parametrize("text", ["", "[]", '{"personal": 7}', '{"personal": {}}'])
def test_dropbox_says_itself_where_it_is_and_nonsense_of_it_says_nothing(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / ".dropbox").mkdir()
    (tmp_path / ".dropbox" / "info.json").write_text(
        json.dumps({"personal": {"path": str(tmp_path / "Box")}})
    )
    assert disk_kind.sync_service((tmp_path / "Box" / "data").resolve(), home=tmp_path) == "Dropbox"
    (tmp_path / ".dropbox" / "info.json").write_text(text)
    assert disk_kind.sync_service((tmp_path / "Box" / "data").resolve(), home=tmp_path) == ""


def test_onedrive_is_known_by_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OneDriveCommercial", str(tmp_path / "firm"))
    assert (
        disk_kind.sync_service((tmp_path / "firm" / "data").resolve(), home=tmp_path) == "OneDrive"
    )


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("init",), ("migrate",)])
def test_no_command_makes_a_database_in_a_synchronised_folder_unless_told_to(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / ".stfolder").mkdir()
    sentence = refused(tmp_path / "data", *command)
    assert "Syncthing" in sentence
    assert "--allow-unsafe-place" in sentence
    assert not (tmp_path / "data").exists()


def test_a_synchronised_folder_is_used_when_told_to(tmp_path: Path) -> None:
    (tmp_path / ".stfolder").mkdir()
    with serving(tmp_path / "data", "--allow-unsafe-place") as server:
        key, note = server.key, server.note("there")
    with serving(
        tmp_path / "data", key=key, environment={"HEARTH_ALLOW_UNSAFE_PLACE": "on"}
    ) as server:
        assert server.ask("GET", f"/os/notes/{note}")[0] == 200
