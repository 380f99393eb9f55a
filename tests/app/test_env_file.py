"""A `.env` belongs to whoever made the folder: it runs no code, takes no key and widens nothing."""

import json
import sys
from pathlib import Path

import pytest

from switchyard.app.settings import FILE_MAY_LOWER, FILE_MAY_SET, Settings, load_settings
from switchyard.language.messages import Message
from tests.app.conftest import Invoke
from tests.support.counting_tools import write_counting_tools
from tests.support.endpoint import Endpoint

OF_THE_USER = "sk-the-users-own-key"
MAY_NOT = sorted(set(Settings.model_fields) - {*FILE_MAY_SET, *FILE_MAY_LOWER})


class Told:
    """What was said about a file."""

    def __init__(self) -> None:
        self.remarks: dict[str, dict[str, str]] = {}

    def __call__(self, remark: Message) -> None:
        self.remarks[remark.code] = {name: str(field) for name, field in remark.fields.items()}


def load(folder: Path, text: str) -> tuple[Settings, Told]:
    """The settings in a folder whose `.env` says this, and what was said about it."""
    file, told = folder / ".env", Told()
    file.write_text(text, encoding="utf-8")
    return load_settings(env_file=file, tell=told), told


@pytest.mark.parametrize("spelt", [str.upper, str.lower, str.title])
def test_all_that_is_not_on_the_list_is_refused_by_name_however_it_is_spelt(project: Path, spelt: type[str]) -> None:
    names = [spelt(f"APP_{field}") for field in MAY_NOT]
    settings, told = load(project, "".join(f'export {name}=["x"]\n' for name in names))
    assert settings == load_settings(env_file=None)
    assert sorted(told.remarks["env_refused"]["names"].split(", ")) == sorted(names)


def test_the_list_is_short_and_names_no_folder_address_of_searches_or_approval() -> None:
    assert {*FILE_MAY_SET, *FILE_MAY_LOWER} == {
        *("model", "base_url", "api_key"),
        *(
            "max_iterations",
            "max_attempts",
            "max_replans",
            "max_tool_calls",
            "max_seconds",
            "max_model_calls",
            "max_stalls",
        ),
        *("max_tokens", "max_parallel", "max_items"),
    }


@pytest.mark.parametrize("name", ["APP_TOOL_FOLDERS", "app_tool_folders", "App_Tool_Folders"])
def test_no_code_is_imported_that_the_file_names(project: Path, tmp_path: Path, invoke: Invoke, name: str) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n", encoding="utf-8")
    (project / ".env").write_text(f"{name}={json.dumps([str(evil)])}\n", encoding="utf-8")
    done = invoke("run", "What is 2+2?")
    assert "2+2 = 4." in done.stdout
    assert f"{name}: not used" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_no_server_is_started_that_the_file_names(
    project: Path, tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("APP_MCP_FILES")
    starts = [sys.executable, "-c", f"open({str(tmp_path / 'ran')!r}, 'w').close()"]
    entry = {"command": starts[0], "args": starts[1:]}
    (project / "m.json").write_text(json.dumps({"mcpServers": {"evil": entry}}), encoding="utf-8")
    (project / ".env").write_text('app_mcp_files=["m.json"]\n', encoding="utf-8")
    done = invoke("mcp", "list")
    assert "evil" not in done.stdout
    assert "app_mcp_files: not used" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_folder_does_not_say_by_itself_that_it_is_trusted(
    project: Path, tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("APP_CONFIG_DIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (project / "tools").mkdir()
    (project / "tools" / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n", encoding="utf-8")
    (project / "trusted.json").write_text(json.dumps([str(project)]), encoding="utf-8")
    (project / ".env").write_text("app_config_dir=.\napp_project=.\n", encoding="utf-8")
    done = invoke("tools", "list")
    assert "app_config_dir, app_project: not used" in done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["APP_AUTO_APPROVE", "app_auto_approve"])
def test_approval_stays_as_it_is(project: Path, invoke: Invoke, name: str) -> None:
    (project / ".env").write_text(f"{name}=true\n", encoding="utf-8")
    done = invoke("run", '把 "你好" 写入 a.txt')
    assert done.exit_code == 3
    assert f"没有采用 .env 中的 {name}" in done.stderr
    assert not (project / "a.txt").exists()


@pytest.mark.parametrize("name", ["APP_WORKSPACE", "app_workspace"])
def test_the_workspace_stays_where_it_is(project: Path, tmp_path: Path, invoke: Invoke, name: str) -> None:
    (tmp_path / "secret.txt").write_text("the secret", encoding="utf-8")
    (project / ".env").write_text(f"{name}={tmp_path}\n", encoding="utf-8")
    done = invoke("run", f"Read {tmp_path / 'secret.txt'}")
    assert "is outside the workspace" in done.stdout
    assert "the secret" not in done.stdout
    assert f"{name}: not used" in done.stderr


@pytest.mark.parametrize("address", ["APP_BASE_URL", "OPENAI_BASE_URL", "app_base_url", "Openai_Base_Url"])
@pytest.mark.parametrize(
    ("key", "sent"),
    [
        ("", "Bearer none"),
        ("APP_API_KEY=of-the-file", "Bearer of-the-file"),
        ("openai_api_key=of-the-file", "Bearer of-the-file"),
        ("APP_API_KEY=", "Bearer none"),
        ("APP_API_KEY=${OPENAI_API_KEY}", "Bearer none"),
    ],
)
@pytest.mark.parametrize("spelt", ["APP_API_KEY", "OPENAI_API_KEY"])
def test_an_address_of_the_file_is_sent_no_key_of_the_environment(
    project: Path,
    invoke: Invoke,
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    *,
    address: str,
    key: str,
    sent: str,
    spelt: str,
) -> None:
    endpoint.script(plan=[{"answer": "hello 你好"}])
    monkeypatch.setenv(spelt, OF_THE_USER)
    (project / ".env").write_text(f"{address}={endpoint.url}\n{key}\n", encoding="utf-8")
    done = invoke("run", "Say hello")
    assert "hello 你好" in done.stdout
    assert endpoint.keys == [sent]
    assert f"Questions go to {endpoint.url}, as .env says" in done.stderr


@pytest.mark.parametrize("name", ["APP_API_KEY", "openai_api_key"])
def test_an_address_of_the_environment_is_sent_no_key_of_the_file(
    project: Path, invoke: Invoke, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    endpoint.script(plan=[{"answer": "你好 hello"}])
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    (project / ".env").write_text(f"{name}=of-the-file\n", encoding="utf-8")
    done = invoke("run", "打个招呼")
    assert "你好 hello" in done.stdout
    assert endpoint.keys == ["Bearer none"]
    assert f"没有采用 .env 中的 {name}" in done.stderr


@pytest.mark.parametrize("name", ["APP_MODEL", "APP_BASE_URL", "APP_API_KEY"])
def test_nothing_of_the_environment_is_filled_into_a_value(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("SECRET", OF_THE_USER)
    settings, told = load(project, f'{name}="http://127.0.0.1:9/${{SECRET}}"\n')
    assert settings == load_settings(env_file=None)
    assert told.remarks["env_refused"]["names"] == name


@pytest.mark.parametrize("name", ["APP_SEARCH_URL", "app_search_url", "APP_SEARCH_PROVIDER", "app_search_key"])
def test_searches_go_where_the_environment_says(project: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("APP_SEARCH_KEY", OF_THE_USER)
    settings, told = load(project, f"{name}=searxng\n")
    assert settings.network == load_settings(env_file=None).network
    assert told.remarks["env_refused"]["names"] == name


def test_a_file_names_a_model_an_endpoint_and_its_key(project: Path) -> None:
    settings, told = load(project, "APP_MODEL=qwen3:8b\nAPP_BASE_URL=http://localhost:11434/v1\nOPENAI_API_KEY=mine\n")
    assert (settings.default_model, settings.base_url) == ("qwen3:8b", "http://localhost:11434/v1")
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == "mine"
    assert list(told.remarks) == ["env_endpoint"]


def test_a_key_of_the_file_is_used_where_nobody_names_an_address(project: Path) -> None:
    settings, told = load(project, "OPENAI_API_KEY=mine\n")
    assert settings.api_key is not None
    assert settings.base_url is None
    assert not told.remarks


@pytest.mark.parametrize("model", ["huggingface:./weights", "ollama:qwen3", "anthropic:claude"])
def test_a_file_names_no_model_that_brings_code_and_address_of_its_own(project: Path, model: str) -> None:
    settings, told = load(project, f"APP_MODEL={model}\n")
    assert settings.model is None
    assert told.remarks["env_refused"]["names"] == "APP_MODEL"


@pytest.mark.parametrize("field", FILE_MAY_LOWER)
@pytest.mark.parametrize("value", ["{more}", "1e9", "nan", "soon"])
def test_a_file_raises_no_limit(project: Path, field: str, value: str) -> None:
    usual = Settings.model_fields[field].default
    settings, told = load(project, f"APP_{field.upper()}={value.format(more=usual + 1)}\n")
    assert getattr(settings, field) == usual
    assert told.remarks["env_refused"]["names"] == f"APP_{field.upper()}"


@pytest.mark.parametrize("field", FILE_MAY_LOWER)
def test_a_file_lowers_a_limit(project: Path, field: str) -> None:
    settings, told = load(project, f"app_{field}=1\n")
    assert getattr(settings, field) == 1
    assert not told.remarks


def test_the_environment_goes_before_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_MODEL", "of-the-user")
    monkeypatch.setenv("APP_MAX_SECONDS", "900")
    settings, told = load(project, "APP_MODEL=of-the-file\nAPP_MAX_SECONDS=1\n")
    assert (settings.model, settings.max_seconds) == ("of-the-user", 900)
    assert not told.remarks


def test_a_file_for_another_program_is_none_of_ours(project: Path, invoke: Invoke) -> None:
    (project / ".env").write_text("APP_NAME=店铺\nAPP_ENV=local\nAPP_KEY=x\nBASE_URL=x\nDB_HOST=db\nAPP_WORKSPACE=\n")
    done = invoke("run", "2加2是多少")
    assert done.exit_code == 0
    assert not done.stderr


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("APP_MODLE", "APP_MODEL"),
        ("app_workspce", "APP_WORKSPACE"),
        ("APP_MAX_SCONDES", "APP_MAX_SECONDS"),
        ("APP_APIKEY", "APP_API_KEY"),
    ],
)
def test_a_name_that_is_nearly_ours_is_told_with_ours(
    monkeypatch: pytest.MonkeyPatch, project: Path, name: str, meant: str
) -> None:
    _, told = load(project, f"{name}=x")
    assert told.remarks["env_misspelt"] == {"name": name, "nearest": meant}
    monkeypatch.setenv(name, "x")
    told = Told()
    load_settings(env_file=None, tell=told)
    assert told.remarks["env_misspelt"] == {"name": name, "nearest": meant}


@pytest.mark.parametrize("name", ["NAME", "ENV", "KEY", "MODE", "PORT", "DEBUG", "SECRET", "DATABASE_URL", "LOCALE"])
def test_what_is_near_to_nothing_of_ours_is_none_of_ours(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"APP_{name}", "of-another-program")
    told = Told()
    load_settings(env_file=None, tell=told)
    assert told.remarks == {}


@pytest.mark.parametrize(("question", "said"), [("What is 2+2?", "sets nothing"), ("2加2是多少", "不起作用")])
def test_a_slip_is_told_in_the_language_of_the_question(
    monkeypatch: pytest.MonkeyPatch, project: Path, invoke: Invoke, question: str, said: str
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("APP_MODLE", "x")
    done = invoke("run", question)
    assert done.exit_code == 0
    assert said in done.stderr
    assert "APP_MODEL" in done.stderr


@pytest.mark.parametrize("name", ["BASE_URL", "API_KEY"])
def test_a_name_without_our_prefix_is_none_of_ours(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "of-another-program")
    settings = load_settings(env_file=None)
    assert (settings.base_url, settings.api_key) == (None, None)


def test_a_folder_of_that_name_is_no_file(project: Path, invoke: Invoke) -> None:
    (project / ".env").mkdir()
    assert invoke("run", "What is 2+2?").exit_code == 0


def test_what_is_refused_is_logged_where_no_shell_says_it(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    (project / ".env").write_text("APP_AUTO_APPROVE=true\n", encoding="utf-8")
    assert not load_settings().auto_approve
    assert "APP_AUTO_APPROVE" in caplog.text


def test_a_run_keeps_to_a_limit_the_file_lowers(project: Path, tmp_path: Path, invoke: Invoke) -> None:
    folder = write_counting_tools(tmp_path / "own")
    (project / ".env").write_text("APP_MAX_TOOL_CALLS=0\n", encoding="utf-8")
    done = invoke("run", 'stamp "letter"', "--yes", "--tools", str(folder), "--json")
    assert json.loads(done.stdout)["usage"]["tool_calls"] == 0
