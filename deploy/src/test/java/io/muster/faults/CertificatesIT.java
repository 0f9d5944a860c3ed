package io.muster.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.certs.x509.AuthorityChange;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.Purpose;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.Command;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Certificates of two running processes change under load, by the commands an operator has. */
@ExtendWith(SandboxExtension.class)
@Order(1)
final class CertificatesIT {

  private static final String NAMESPACE = "muster-system";
  private static final Duration SOON = Duration.ofSeconds(30);

  /** A command that takes so long hangs; before that, the machine is busy. */
  private static final Duration COMMAND_LIMIT = Duration.ofMinutes(2);

  /** What Go's callers and servers write when a certificate is the reason. */
  private static final Pattern TLS_ERROR =
      Pattern.compile("x509: |tls: |failed calling webhook|certificate signed by|bad certificate");

  private static TwoMusters musters;
  private static SecretCertificateStore store;

  @TempDir private Path folder;

  @BeforeAll
  static void startTwo(Sandbox sandbox) {
    musters = TwoMusters.in(sandbox, InstantSource.system(), Map.of("certificateCheckSeconds", 1));
    store = new SecretCertificateStore(sandbox.client(), NAMESPACE);
  }

  @AfterAll
  static void putOneBack() {
    musters.close();
  }

  @Test
  void aChangeOfTheCaAndALeafFailsNoCall(TestSpace space) throws Exception {
    changeUnderLoad(space, 40, 1);
  }

  @Tag("long")
  @Test
  void aChangeOfTheCaAndThreeOfTheLeavesFailNoCallAt200AdmissionsASecond(TestSpace space)
      throws Exception {
    double rate = changeUnderLoad(space, 200, 3);

    assertThat(rate).isGreaterThan(190);
  }

  private double changeUnderLoad(TestSpace space, int admissions, int leaves) throws Exception {
    musters.settle();
    var logs = List.of(log("kube-apiserver"), log("kube-scheduler"));
    List<Integer> marks;
    var former = stored().authority();
    var load = CertificateLoad.begin(space, musters, folder, admissions);
    try (load) {
      Await.until("the load to run", SOON, () -> load.placed() > 2 && load.handshakes() > 4);
      // What the end of the process that served before these two left in the logs is not theirs.
      marks = logs.stream().map(log -> lines(log).size()).toList();
      for (int leaf = 0; leaf < leaves - 1; leaf++) {
        rotate();
      }
      changeTheAuthority(load);
    }

    System.out.printf(
        "admissions %d (%.0f a second), pods placed %d, handshakes %d, failures %d%n",
        load.admitted(), load.rate(), load.placed(), load.handshakes(), load.failures().size());
    assertThat(load.failures()).isEmpty();
    assertThat(stored().trusted()).doesNotContain(former.certificate());
    for (int i = 0; i < logs.size(); i++) {
      var since = lines(logs.get(i));
      assertThat(since.subList(marks.get(i), since.size()))
          .noneMatch(line -> TLS_ERROR.matcher(line).find());
    }
    return load.rate();
  }

  private void changeTheAuthority(CertificateLoad load) throws InterruptedException {
    muster("certs", "rotate", "--ca");
    Await.until(
        "the next CA to issue",
        SOON,
        () -> stored().change() instanceof AuthorityChange.Overlapping);
    awaitShown();
    load.cutTheScheduler();
    rotate();
    assertThat(muster("certs", "status"))
        .contains("switched to generation")
        .contains("those that know only")
        .doesNotContain("PRIVATE");

    // As kube-scheduler's mounted files would be by now.
    musters.sandbox().extender();
    muster("certs", "rotate", "--end-overlap");
    Await.until("the former CA to be gone", SOON, () -> registered().equals(stored().trustedPem()));
    load.cutTheScheduler();
  }

  @Test
  void aBrokenSecretIsToldAndRunningProcessesGoOn(TestSpace space) throws Exception {
    musters.settle();
    space.nodes(2, NodeShape.GPU1);
    var secrets = space.client().secrets().inNamespace(NAMESPACE);
    var sound = secrets.withName(SecretCertificateStore.CERTIFICATES).require();
    var leader = musters.leader().orElseThrow().process();
    var garbage = Base64.getEncoder().encodeToString("garbage".getBytes(US_ASCII));
    secrets.resource(new SecretBuilder(sound).addToData("tls.crt", garbage).build()).update();
    try {
      var counter = "muster_certificate_refusals_total{cause=\"corrupt\"}";
      Await.until("the refusal", SOON, () -> leader.metric(counter).orElse(0.0) > 0);
      Await.until(
          "the event",
          SOON,
          () ->
              space.client().v1().events().inNamespace(NAMESPACE).list().getItems().stream()
                  .anyMatch(event ->
                      "CertificateCorrupt".equals(event.getReason())
                          && event.getMessage().contains("muster-certificates, key tls.crt")));
      var gang = GangManifest.of(space, "train", 2);
      gang.create();
      Await.until("the gang to run", SOON, () -> gang.running() == 2);

      var start = program("serve", "--config", configuration());
      assertThat(start.exitCode()).isNotZero();
      assertThat(start.output())
          .contains("muster: Secret muster-system/muster-certificates, key tls.crt: there is no")
          .contains("remove tls.crt and tls.key from the Secret")
          .doesNotContain("\tat ");
    } finally {
      var broken = secrets.withName(SecretCertificateStore.CERTIFICATES).require();
      secrets.resource(new SecretBuilder(broken).withData(sound.getData()).build()).update();
    }
    assertThat(leader.metric("muster_certificate_expiry_seconds{purpose=\"server\"}").orElseThrow())
        .isGreaterThan((double) Duration.ofDays(89).toSeconds());
  }

  private void rotate() {
    muster("certs", "rotate");
    awaitShown();
  }

  /** Until both processes show the leaf that is stored. */
  private void awaitShown() {
    Await.until(
        "both processes to show the stored leaf",
        SOON,
        () ->
            musters.replicas().stream()
                .allMatch(replica -> Shown.by(replica.process()).equals(leaf())));
  }

  private static X509Certificate leaf() {
    return stored().leaf(Purpose.SERVER).orElseThrow().certificate();
  }

  private static CertificateBundle stored() {
    return store.load().orElseThrow();
  }

  private static String registered() {
    return new String(
        Base64.getDecoder()
            .decode(
                musters
                    .sandbox()
                    .client()
                    .admissionRegistration()
                    .v1()
                    .mutatingWebhookConfigurations()
                    .withName("muster")
                    .require()
                    .getWebhooks()
                    .getFirst()
                    .getClientConfig()
                    .getCaBundle()),
        US_ASCII);
  }

  /** What the command prints; it must succeed. */
  private String muster(String... arguments) {
    var all = new ArrayList<>(Arrays.asList(arguments));
    all.add("--kubeconfig");
    all.add(musters.sandbox().state().kubeconfig().toString());
    var result = program(all.toArray(String[]::new));
    assertThat(result.exitCode()).as(result.output()).isZero();
    return result.output();
  }

  private static Command.Result program(String... arguments) {
    var line = new ArrayList<String>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-jar", musters.sandbox().musterJar().toString()));
    line.addAll(Arrays.asList(arguments));
    return Command.run(COMMAND_LIMIT, line);
  }

  private String configuration() throws IOException {
    return Files.writeString(
            folder.resolve("broken.yaml"),
            "kubeconfig: " + musters.sandbox().state().kubeconfig() + "\n")
        .toString();
  }

  private Path log(String process) {
    return musters.sandbox().state().log(process);
  }

  private static List<String> lines(Path log) {
    try {
      return Files.readAllLines(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
