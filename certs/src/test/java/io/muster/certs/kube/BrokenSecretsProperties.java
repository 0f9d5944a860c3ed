package io.muster.certs.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Identity;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever becomes of the Secrets, a running process goes on with what it has, and recovers. */
class BrokenSecretsProperties {

  private static final String OWN = SecretCertificateStore.CERTIFICATES;
  private static final String CLIENT = SecretCertificateStore.SCHEDULER_CLIENT;

  /** What may happen to a field, or to all of them. */
  enum Damage {
    CUT,
    FLIPPED_BYTE_OF_TEXT,
    FLIPPED_BYTE_OF_CERTIFICATE,
    SWAPPED_WITH_ANOTHER_FIELD,
    SWAPPED_WITH_THE_OTHER_SECRET,
    OF_ANOTHER_INSTALLATION,
    NOT_BASE64,
    EMPTY,
    GONE,
    ALL_OF_ANOTHER_INSTALLATION,
    ALL_GONE,
    DELETED
  }

  @Property(tries = 150)
  void neverEndARunningProcess(
      @ForAll Damage damage, @ForAll boolean ofTheClient, @ForAll long seed) {
    FakeCluster cluster = new FakeCluster();
    FakeReplica replica = FakeReplica.start(cluster, Duration.ZERO);
    X509Certificate authority = replica.certificates().current().authorities().getFirst();
    Secret own = cluster.get(OWN).orElseThrow();
    Secret client = cluster.get(CLIENT).orElseThrow();

    inflict(damage, cluster, ofTheClient ? CLIENT : OWN, new Random(seed));
    for (int look = 0; look < 4; look++) {
      cluster.pass(FakeReplica.PERIOD);
      replica.check();
      assertThatItServes(replica, cluster, authority);
    }

    cluster.put(own);
    cluster.put(client);
    int refusals = replica.refusals().size();
    cluster.pass(FakeReplica.PERIOD);
    replica.check();
    assertThatItServes(replica, cluster, authority);
    assertThat(replica.refusals()).hasSize(refusals);
    assertThat(replica.reasons()).doesNotContainKey(CertificateFault.INTERNAL);
  }

  private static void assertThatItServes(
      FakeReplica replica, FakeCluster cluster, X509Certificate authority) {
    Identity shown = replica.certificates().serverIdentity();
    assertThat(shown.certificate().getIssuerX500Principal())
        .isEqualTo(authority.getSubjectX500Principal());
    try {
      shown.certificate().verify(authority.getPublicKey());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
    assertThat(cluster.believed(Duration.ZERO))
        .allMatch(view ->
            view.stream().anyMatch(ca -> ca.getPublicKey().equals(authority.getPublicKey())));
  }

  private static void inflict(Damage damage, FakeCluster cluster, String name, Random random) {
    Secret secret = cluster.get(name).orElseThrow();
    Map<String, String> data = new HashMap<>(secret.getData());
    List<String> fields = data.keySet().stream().sorted().toList();
    String field = fields.get(random.nextInt(fields.size()));
    String text = decoded(data.get(field));
    FakeCluster other = new FakeCluster();
    FakeReplica.start(other, Duration.ZERO);
    Map<String, String> foreign = other.get(name).orElseThrow().getData();
    switch (damage) {
      case CUT -> data.put(field, encoded(text.substring(0, random.nextInt(text.length()))));
      case FLIPPED_BYTE_OF_TEXT -> {
        StringBuilder changed = new StringBuilder(text);
        changed.setCharAt(random.nextInt(text.length()), (char) (random.nextInt(94) + 33));
        data.put(field, encoded(changed.toString()));
      }
      case FLIPPED_BYTE_OF_CERTIFICATE -> data.put("tls.crt", flipped(data.get("tls.crt"), random));
      case SWAPPED_WITH_ANOTHER_FIELD -> {
        String with = fields.get(random.nextInt(fields.size()));
        data.put(field, secret.getData().get(with));
        data.put(with, secret.getData().get(field));
      }
      case SWAPPED_WITH_THE_OTHER_SECRET -> {
        Map<String, String> others =
            cluster.get(name.equals(OWN) ? CLIENT : OWN).orElseThrow().getData();
        data.put("tls.crt", others.get("tls.crt"));
        data.put("tls.key", others.get("tls.key"));
      }
      case OF_ANOTHER_INSTALLATION -> data.put(field, foreign.get(field));
      case NOT_BASE64 -> data.put(field, "%%%");
      case EMPTY -> data.put(field, "");
      case GONE -> data.remove(field);
      case ALL_OF_ANOTHER_INSTALLATION -> data.putAll(foreign);
      case ALL_GONE -> data.clear();
      case DELETED -> {
        cluster.delete(name);
        return;
      }
    }
    cluster.put(new SecretBuilder(secret).withData(data).build());
  }

  private static String flipped(String field, Random random) {
    String pem = decoded(field);
    String body = pem.replaceAll("-----[A-Z ]+-----|\\s", "");
    byte[] der = Base64.getDecoder().decode(body);
    der[random.nextInt(der.length)] ^= (byte) (1 << random.nextInt(8));
    return encoded(
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(der)
            + "\n-----END CERTIFICATE-----\n");
  }

  private static String decoded(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.ISO_8859_1);
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
