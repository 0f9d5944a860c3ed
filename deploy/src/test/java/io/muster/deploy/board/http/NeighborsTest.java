package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NeighborsTest {

  private static final int OWN = 1000;
  private static final int PORT = 0x8124;

  @TempDir private Path tables;

  /** As Linux writes them: both ends of a connection have a row, each with its own user. */
  @BeforeEach
  void write() throws IOException {
    Files.writeString(
        tables.resolve("tcp"),
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:8124 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1
           1: 0100007F:0001 0100007F:8124 01 00000000:00000000 00:00000000 00000000  1000        0 2 1
           2: 0100007F:0002 0100007F:8124 01 00000000:00000000 00:00000000 00000000  1001        0 3 1
           3: 0100007F:8124 0100007F:0002 01 00000000:00000000 00:00000000 00000000  1000        0 4 1
           4: 0100007F:0003 0100007F:8124 01 00000000:00000000 00:00000000 00000000     0        0 5 1
           5: 0100007F:0005 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1001        0 6 1
        """);
    Files.writeString(
        tables.resolve("tcp6"),
        """
          sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0000000000000000FFFF00000100007F:0004 0000000000000000FFFF00000100007F:8124 01 00000000:00000000 00:00000000 00000000  1002        0 7 1
        """);
  }

  private boolean isOfAnother(int from) {
    return new Neighbors(tables, OptionalInt.of(OWN)).isOfAnother(from, PORT);
  }

  @Test
  void whoIsAnotherIsKnownByTheTable() {
    assertThat(isOfAnother(1)).as("oneself").isFalse();
    assertThat(isOfAnother(2)).as("another").isTrue();
    assertThat(isOfAnother(3)).as("root").isFalse();
    assertThat(isOfAnother(4)).as("another, with a socket for both versions of IP").isTrue();
    assertThat(isOfAnother(5)).as("a connection to something else").isFalse();
  }

  @Test
  void whereNothingIsToldNobodyIsAnother() {
    assertThat(new Neighbors(tables, OptionalInt.empty()).isOfAnother(2, PORT)).isFalse();
    assertThat(new Neighbors(tables.resolve("none"), OptionalInt.of(OWN)).isOfAnother(2, PORT))
        .isFalse();
  }

  /** Of a real connection, seen as somebody else would. */
  @Test
  void aConnectionOfThisProcessIsItsUsersOwn() throws IOException {
    var loopback = InetAddress.ofLiteral(OpensOnce.LOOPBACK);
    try (var server = new ServerSocket(0, 1, loopback);
        var client = new Socket(loopback, server.getLocalPort())) {
      assertThat(Neighbors.here().isOfAnother(client.getLocalPort(), server.getLocalPort()))
          .isFalse();
    }
  }
}
