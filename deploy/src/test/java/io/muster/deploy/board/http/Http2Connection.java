package io.muster.deploy.board.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * A connection of HTTP/2, frame by frame, that gives the server as little room for its answers as
 * it likes. Confined to one thread.
 */
final class Http2Connection implements AutoCloseable {

  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;

  /** The answer's headers follow, and this is the end of those of the request and of all of it. */
  private static final int END_STREAM_AND_HEADERS = 0x5;

  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int FRAME_HEADER = 9;

  private final SSLSocket socket;
  private final OutputStream out;
  private final InputStream in;

  /** Whatever certificate the server has. */
  private static final class AnyCertificate implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      // Whatever it is.
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /**
   * Opens one.
   *
   * @param window how many bytes of each answer the server may send before it is told that more are
   *     wanted
   */
  Http2Connection(int port, int window) throws IOException {
    try {
      var tls = SSLContext.getInstance("TLS");
      tls.init(null, new TrustManager[] {new AnyCertificate()}, new SecureRandom());
      socket = (SSLSocket) tls.getSocketFactory().createSocket("127.0.0.1", port);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    var parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    out = socket.getOutputStream();
    in = socket.getInputStream();
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    frame(SETTINGS, 0, 0, new byte[] {0, INITIAL_WINDOW_SIZE, 0, 0, 0, (byte) window});
  }

  private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    var frame = ByteBuffer.allocate(FRAME_HEADER + payload.length);
    frame.put((byte) 0).putShort((short) payload.length).put((byte) type).put((byte) flags);
    out.write(frame.putInt(stream).put(payload).array());
  }

  /**
   * Asks for a page.
   *
   * @param stream odd, and higher than those before
   */
  void get(int stream, String path, String authority) throws IOException {
    var block = new ByteArrayOutputStream();
    // GET, https, and two texts by the numbers of their names in HPACK's table.
    block.write(new byte[] {(byte) 0x82, (byte) 0x87, 0x04, (byte) path.length()});
    block.write(path.getBytes(US_ASCII));
    block.write(new byte[] {0x01, (byte) authority.length()});
    block.write(authority.getBytes(US_ASCII));
    frame(HEADERS, END_STREAM_AND_HEADERS, stream, block.toByteArray());
  }

  /** One more byte of an answer is wanted. */
  void takeOne(int stream) throws IOException {
    frame(WINDOW_UPDATE, 0, stream, new byte[] {0, 0, 0, 1});
  }

  /** That one is there. */
  void ping() throws IOException {
    frame(PING, 0, 0, new byte[8]);
  }

  /** Whether the server has closed it; waits for so long. */
  boolean isClosedWithin(Duration time) throws IOException {
    socket.setSoTimeout((int) Math.max(1, time.toMillis()));
    var read = new byte[4096];
    long until = System.nanoTime() + time.toNanos();
    try {
      while (System.nanoTime() - until < 0) {
        if (in.read(read) < 0) {
          return true;
        }
      }
      return false;
    } catch (SocketTimeoutException _) {
      return false;
    } catch (SocketException | SSLException _) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
