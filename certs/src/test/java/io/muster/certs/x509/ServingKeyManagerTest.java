package io.muster.certs.x509;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class ServingKeyManagerTest {

  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-11-21T08:00:00Z"));

  private final CertificateAuthority authority = CertificateAuthority.create(CLOCK);
  private final Identity one = authority.issueServer(ServerNames.of("one"), CLOCK);
  private final Identity two = authority.issueServer(ServerNames.of("two"), CLOCK);
  private final ServingKeyManager keys = new ServingKeyManager(one);

  @Test
  void answersOnlyForItsOwnKindOfKey() {
    assertThat(keys.getServerAliases("EC", null)).hasSize(1);
    assertThat(keys.getServerAliases("RSA", null)).isEmpty();
    assertThat(keys.getClientAliases("EC", null)).isEmpty();
  }

  @Test
  void aHandshakeThatHadBegunBeforeTheSwapEndsWithTheOldIdentity() {
    String before = keys.chooseServerAlias("EC", null, null);

    keys.swap(two);
    String after = keys.chooseServerAlias("EC", null, null);

    assertThat(keys.current()).isEqualTo(two);
    assertThat(keys.getPrivateKey(before)).isEqualTo(one.key());
    assertThat(keys.getCertificateChain(before)).containsExactly(one.certificate());
    assertThat(keys.getPrivateKey(after)).isEqualTo(two.key());
    assertThat(keys.getCertificateChain(after)).containsExactly(two.certificate());
  }

  @Test
  void identitiesLongGoneAreNotShownAnyMore() {
    String first = keys.chooseServerAlias("EC", null, null);

    keys.swap(two);
    keys.swap(two);

    assertThat(keys.getPrivateKey(first)).isNull();
    assertThat(keys.getCertificateChain(first)).isNull();
  }
}
