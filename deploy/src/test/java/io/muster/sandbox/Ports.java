package io.muster.sandbox;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports on loopback, below the range the kernel takes for outgoing connections: a process that
 * is stopped and started again must find its port still free. Hands out each port once; safe for
 * concurrent use.
 */
public final class Ports {

  private static final int LOWEST = 20_000;
  private static final int ABOVE_HIGHEST = 32_000;
  private static final int TRIES = 1_000;
  private static final Set<Integer> GIVEN = new HashSet<>();

  private Ports() {}

  public static int free() {
    synchronized (GIVEN) {
      for (int i = 0; i < TRIES; i++) {
        int port = ThreadLocalRandom.current().nextInt(LOWEST, ABOVE_HIGHEST);
        if (isFree(port) && GIVEN.add(port)) {
          return port;
        }
      }
    }
    throw new SandboxException(
        "No free port was found between " + LOWEST + " and " + ABOVE_HIGHEST + ".");
  }

  /** Whether the port can be listened on now. */
  static boolean isFree(int port) {
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
