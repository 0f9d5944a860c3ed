package io.muster.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ProgramTest {

  private static final Version KUBERNETES = new Version(1, 36, 3);

  @Test
  void takesKubernetesProgramsOfTheSameMinorVersionOnly() {
    assertThat(accepts(Program.KUBECTL, "Client Version: v1.36.0\nKustomize Version: v5.8.1"))
        .isTrue();
    assertThat(accepts(Program.APISERVER, "Kubernetes v1.36.9")).isTrue();
    assertThat(accepts(Program.KUBECTL, "Client Version: v1.32.4")).isFalse();
  }

  @Test
  void takesEtcdFrom35AndKwokFrom07() {
    assertThat(accepts(Program.ETCD, "etcd Version: 3.5.21\nGit SHA: a17edfd")).isTrue();
    assertThat(accepts(Program.ETCD, "etcd Version: 3.4.37")).isFalse();
    assertThat(accepts(Program.KWOK, "kwok version v0.7.0 go1.24.1 (linux/amd64)")).isTrue();
    assertThat(accepts(Program.KWOK, "kwok version v0.6.1 go1.24.1 (linux/amd64)")).isFalse();
  }

  @Test
  void readsTheVersionOfGo() {
    assertThat(Version.firstIn("go version go1.26.8 linux/amd64")).contains(new Version(1, 26, 8));
    assertThat(Version.firstIn("go version go1.27rc1 linux/amd64")).contains(new Version(1, 27, 0));
    assertThat(Version.firstIn("no such thing")).isEmpty();
  }

  private static boolean accepts(Program program, String printed) {
    return program.accepts(Version.firstIn(printed).orElseThrow(), KUBERNETES);
  }
}
