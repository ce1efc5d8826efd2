"""The manifests for Kubernetes: complete, confined, and consistent with the image and the settings."""

import re
from typing import Any

import pytest
import yaml

from registry.management.commands import serve
from tests.docs.pages import ROOT

FOLDER = ROOT / "deploy/kubernetes"
SETTINGS = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/how-to/deploy-on-kubernetes.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def read_documents(file: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / file).read_text(encoding="utf-8")))


FILES = read_documents("kustomization.yaml")[0]["resources"]
MANIFESTS = [document for file in FILES for document in read_documents(file)]
PODS = {
    manifest["metadata"]["name"]: manifest["spec"]["template"]
    for manifest in MANIFESTS
    if manifest["kind"] in ("Deployment", "Job")
}
CONTAINERS = [
    pytest.param(container, pod["spec"], id=f"{name}-{container['name']}")
    for name, pod in PODS.items()
    for container in (*pod["spec"].get("initContainers", []), *pod["spec"]["containers"])
]


def find_manifest(kind: str) -> dict[str, Any]:
    (manifest,) = [manifest for manifest in MANIFESTS if manifest["kind"] == kind]
    return manifest


def test_every_file_of_the_folder_is_applied():
    assert {path.name for path in FOLDER.glob("*.yaml")} == {*FILES, "kustomization.yaml"}


@pytest.mark.parametrize(("container", "pod"), CONTAINERS)
def test_a_container_is_confined(container, pod):
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False


@pytest.mark.parametrize(("container", "pod"), CONTAINERS)
def test_a_container_sets_its_resources_and_mounts_known_volumes(container, pod):
    assert container["resources"]["requests"].keys() == {"cpu", "memory"}
    assert "memory" in container["resources"]["limits"]
    assert {mount["name"] for mount in container["volumeMounts"]} <= {volume["name"] for volume in pod["volumes"]}


def test_the_pods_run_as_the_image_s_user():
    user = re.search(r"useradd .*--uid (\d+)", DOCKERFILE)
    assert user
    assert {pod["spec"]["securityContext"]["runAsUser"] for pod in PODS.values()} == {int(user[1])}


def test_a_container_may_write_to_its_home_and_to_tmp():
    home = find_manifest("ConfigMap")["data"]["PROMPTUARY_HOME"]
    for pod in PODS.values():
        (container,) = pod["spec"]["containers"]
        assert {home, "/tmp"} <= {mount["mountPath"] for mount in container["volumeMounts"]}


@pytest.mark.parametrize("name", sorted({*find_manifest("ConfigMap")["data"], *re.findall(r"literal=(\w+)=", PAGE)}))
def test_a_setting_is_one_that_promptuary_reads(name):
    assert f"`{name}`" in SETTINGS


def test_the_service_leads_to_the_web_pods():
    service = find_manifest("Service")["spec"]
    web = PODS["promptuary-web"]
    assert service["selector"].items() <= web["metadata"]["labels"].items()
    (port,) = web["spec"]["containers"][0]["ports"]
    assert service["ports"][0]["targetPort"] == port["name"]
    assert f"EXPOSE {port['containerPort']}" in DOCKERFILE


def test_the_roles_of_the_pods_are_those_that_serve_takes():
    parser = serve.Command().create_parser("manage.py", "serve")
    roles = {parser.parse_args(pod["spec"]["containers"][0]["args"]).only for pod in PODS.values()}
    assert roles == {"migrate", "web", "worker"}


@pytest.mark.django_db
def test_the_probes_are_addresses_of_the_server(client):
    (container,) = PODS["promptuary-web"]["spec"]["containers"]
    paths = {container[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {client.get(path).headers["Content-Type"] for path in paths} == {"application/json"}
