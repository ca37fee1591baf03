"""Configuration files are read for secrets as Hadoop reads them, and a hostile one gets nothing by that."""

from __future__ import annotations

import os
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.java import NoJava, find_java
from fsconform.app.main import main
from fsconform.engine import secrecy
from fsconform.harness import hadoop_configuration, scrubbing
from fsconform.harness.hadoop_configuration import ConfigurationError, read


def _secrets(file: Path, **environment: str) -> set[str]:
    return set(scrubbing.secrets_of([], {}, [file], environment))


def _site(folder: Path, text: str, name: str = "site.xml", before: str = "") -> Path:
    file = folder / name
    file.write_text(f'{before}<configuration xmlns:xi="http://www.w3.org/2001/XInclude">{text}</configuration>')
    return file


FORMS = {
    "element": "<property><name>a.key</name><value>Canary</value></property>",
    "spaced": "<property><name> a.key </name><value>\n  Canary\n</value></property>",
    "attribute": '<property name="a.key" value="Canary"/>',
    "half": '<property name="a.key"><value>Canary</value></property>',
    "cdata": "<property><name>a.key</name><value><![CDATA[Can]]>ary</value></property>",
    "comment": "<property><name>a.<!-- x -->key</name><value>Can<!-- x -->ary</value></property>",
    "character": "<property><name>a.key</name><value>&#67;&#x61;nary</value></property>",
    "entity": "<property><name>a.key</name><value>&whole;</value></property>",
    "entities": "<property><name>a.&name;</name><value>&first;ary</value></property>",
    "outside": "<property><name>a.key</name><value>&outside;</value></property>",
    "include": '<xi:include href="other.xml"/>',
    "plain include": '<include href="other.xml"/>',
    "fallback": '<xi:include href="none.xml"><xi:fallback><property name="a.key" value="Canary"/></xi:fallback>'
    "</xi:include>",
    "variable": '<property name="b" value="Canary"/><property name="a.key" value="${b}"/>',
    "variables": '<property name="b" value="Can"/><property name="c" value="${b}a"/>'
    '<property name="a.key" value="${c}ry"/>',
    "environment": '<property name="a.key" value="${env.PLAIN}"/>',
    "default": '<property name="a.key" value="${env.NONE:-Canary}"/>',
    "final": "<property><name>a.key</name><value>Canary</value><final>true</final></property>"
    "<property><name>a.key</name><value>later</value></property>",
    "nested": "<configuration><property><name>a.key</name><value>Canary</value></property></configuration>",
}
DTD = """<!DOCTYPE configuration [
<!ENTITY whole "Canary"> <!ENTITY first "Can"> <!ENTITY name "key"> <!ENTITY outside SYSTEM "outside.txt">]>"""


@pytest.mark.parametrize("form", FORMS)
def test_secrets_are_found_in_all_forms(tmp_path: Path, form: str) -> None:
    (tmp_path / "outside.txt").write_text("Canary")
    _site(tmp_path, FORMS["attribute"], "other.xml")
    file = _site(tmp_path, FORMS[form], before=DTD)
    assert "Canary" in _secrets(file, PLAIN="Canary")


def test_hadoop_resolves_the_same(tmp_path: Path) -> None:
    """What our reader finds is what Configuration of the client gives, form by form."""
    try:
        java = find_java()
    except NoJava as error:
        pytest.skip(str(error))
    import subprocess

    (tmp_path / "outside.txt").write_text("Canary")
    _site(tmp_path, FORMS["attribute"], "other.xml")
    probe = tmp_path / "Probe.java"
    probe.write_text("""
public class Probe {
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      org.apache.hadoop.conf.Configuration one = new org.apache.hadoop.conf.Configuration(false);
      one.addResource(new java.io.File(file).toURI().toURL());
      System.out.println(one.getTrimmed("a.key"));
    }
  }
}
""")
    files = [_site(tmp_path, text, f"{number}.xml", DTD) for number, text in enumerate(FORMS.values())]
    jars = os.pathsep.join(map(str, resolve(load_profile(), ("client",))))
    command = [str(java.executable), "-cp", jars, str(probe), *map(str, files)]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=os.environ | {"PLAIN": "Canary"}, check=True
    )
    told = dict(zip(FORMS, ran.stdout.split(), strict=True))
    assert set(told.values()) == {"Canary"}, told


def test_passwords_in_uris_are_secrets_under_any_name(tmp_path: Path) -> None:
    file = _site(tmp_path, '<property name="fs.defaultFS" value="my://me:Can%40ary@host/"/>')
    assert _secrets(file) == {"Can%40ary", "Can@ary"}


def test_what_a_client_finds_by_itself_is_known(tmp_path: Path) -> None:
    jar = tmp_path / "x.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("core-site.xml", '<configuration><property name="a.key" value="In-a-Jar"/></configuration>')
    (tmp_path / "conf").mkdir()
    _site(tmp_path / "conf", '<property name="b.key" value="In-a-Folder"/>', "hdfs-site.xml")
    found = scrubbing.secrets_of([], {}, [], {"HADOOP_CONF_DIR": str(tmp_path / "conf")}, [jar])
    assert set(found) == {"In-a-Jar", "In-a-Folder"}


LAUGHS = "<!DOCTYPE configuration [<!ENTITY a0 'ha'>{}]>".format(
    "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 30))
)


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("<property", ""),
        ('<property name="a.key" value="&none;"/>', ""),
        ("<property><name>a.key</name><value>&a29;</value></property>", LAUGHS),
        ('<xi:include href="site.xml"/>', ""),
        ('<xi:include href="http://127.0.0.1:1/x.xml"/>', ""),
        ('<xi:include href="/dev/zero"/>', ""),
        ('<xi:include href="fifo"/>', ""),
        ('<xi:include href="long.xml"/>', ""),
    ],
    ids=["broken", "unknown entity", "laughs", "itself", "elsewhere", "device", "fifo", "long"],
)
def test_a_hostile_file_is_refused_at_once(tmp_path: Path, text: str, before: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    with (tmp_path / "long.xml").open("wb") as long:
        long.truncate(1 << 32)
    file = _site(tmp_path, text, before=before)
    begun = time.monotonic()
    with pytest.raises(ConfigurationError, match=r"\.xml|fifo|zero|127|elsewhere|machine"):
        read([file])
    ran = CliRunner().invoke(main, ["run", "--uri", "my://host/x", "--conf-file", str(file)])
    assert ran.exit_code == 2 and "Traceback" not in ran.output
    assert time.monotonic() - begun < 20


def test_entities_name_files_of_this_machine_alone(tmp_path: Path) -> None:
    """An address is not asked, a device is not read, and there is an end to substitution."""
    outside = '<!DOCTYPE configuration [<!ENTITY x SYSTEM "http://127.0.0.1:1/x"><!ENTITY y SYSTEM "/dev/zero">]>'
    values = '<property name="a.key" value="${a.key}${b}"/><property name="b" value="${c}${c}"/>'
    values += '<property name="c" value="${b}${b}"/><property><name>d.key</name><value>told&x;&y;</value></property>'
    begun = time.monotonic()
    assert "told" in _secrets(_site(tmp_path, values, before=outside))
    assert time.monotonic() - begun < 20


def test_what_nobody_named_may_be_broken(tmp_path: Path) -> None:
    (tmp_path / "core-site.xml").write_text("<broken")
    (tmp_path / "x.jar").write_text("no jar")
    found = hadoop_configuration.found_around(
        [tmp_path / "x.jar", tmp_path / "none"], {"HADOOP_CONF_DIR": str(tmp_path)}
    )
    assert found.pairs == []


def test_secrets_of_command_lines() -> None:
    given = ["--conf", "a.key:One!", "--conf=b.key=Two!", "-Dc.secret=Thr3", "x://u:Four@h", "--conf", "d.pwd", "Five"]
    given += ["--baseline", "results/token", "--seed", "1234", "--name", "keyboard"]
    assert secrecy.of_arguments(given) == {"One!", "Two!", "Thr3", "Four", "Five"}


def test_wrong_signs_behind_a_name_hide_no_secret() -> None:
    for sign in (":", ";", " ", ": ", "':'"):
        for end in ("", "=", "=="):
            secrets = secrecy.Secrets()
            secrets.learn(secrecy.of_arguments(["--conf", f"fs.azure.account.key.x{sign}AbcdCanary1234{end}"]))
            assert "Canary" not in secrets.text("no AbcdCanary1234 here"), (sign, end)
    assert secrecy.of_arguments(["--uri", "s3a://my-key:8020/x", "--seed", "3:4", "my token=5"]) == set()


@pytest.mark.parametrize(
    "parameter",
    [
        "?X-Amz-Signature=",
        "?a=b&access_token=",
        "?client_secret=",
        ";sig=",
        "#access_token=",
        "&amp;sig=",
        "?my%5Fpwd=",
    ],
)
def test_parameters_of_uris_are_judged_by_their_names(parameter: str) -> None:
    uri = f"my://host/x{parameter}Can%40ary;more&page=12345"
    assert {"Can%40ary", "Can@ary"} <= secrecy.in_uri(uri)
    assert "Can" not in scrubbing.uri(uri) and "page=12345" in scrubbing.uri(uri)


def test_parameters_that_tell_no_secret_stay() -> None:
    uri = "my://host/x;p=1?page=12345&token.ttl=3600&sign=yes&design=flat#key.count=4711"
    assert secrecy.in_uri(uri) == set() and scrubbing.uri(uri) == uri


@pytest.mark.parametrize(
    "options",
    [
        "-Xmx1g -Dfs.s3a.secret.key=C4nary-One -Dother=x",
        "'-Dfs.s3a.secret.key=C4nary-One' -Dx='no end",
        '-Dfs.s3a.secret.key="C4nary-One"',
        "--conf spark.hadoop.fs.s3a.secret.key=C4nary-One --conf a=b",
        "--conf=spark.hadoop.fs.s3a.secret.key=C4nary-One --conf a=b",
        "-Dpass=C4nary-One\n-Dx=y",
    ],
)
@pytest.mark.parametrize(
    "name", ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "HADOOP_OPTS", "SUBMIT_ARGS"]
)
def test_variables_with_options_of_a_jvm(name: str, options: str) -> None:
    assert "C4nary-One" in secrecy.of_environment({name: options})
    if name == "HADOOP_OPTS":
        assert "C4nary-One" in secrecy.of_properties([("spark.driver.extraJavaOptions", options)])
