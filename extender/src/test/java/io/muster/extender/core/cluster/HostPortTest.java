package io.muster.extender.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** kube-scheduler's rule for ports of the node. */
final class HostPortTest {

  @ParameterizedTest
  @CsvSource({
    "TCP, '', 80, TCP, '', 80, true",
    "'', '', 80, TCP, 0.0.0.0, 80, true",
    "TCP, '', 80, UDP, '', 80, false",
    "TCP, '', 80, TCP, '', 81, false",
    "TCP, 10.0.0.1, 80, TCP, 10.0.0.2, 80, false",
    "TCP, 10.0.0.1, 80, TCP, 10.0.0.1, 80, true",
    "TCP, 10.0.0.1, 80, TCP, '', 80, true",
    "TCP, '', 80, TCP, 10.0.0.1, 80, true",
  })
  void collides(
      String protocol,
      String address,
      int port,
      String otherProtocol,
      String otherAddress,
      int otherPort,
      boolean expected) {
    assertThat(
            new HostPort(protocol, address, port)
                .collidesWith(new HostPort(otherProtocol, otherAddress, otherPort)))
        .isEqualTo(expected);
  }
}
