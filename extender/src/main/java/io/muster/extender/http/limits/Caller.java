package io.muster.extender.http.limits;

import io.javalin.http.Context;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;

/**
 * Who sent a request. Immutable.
 *
 * @param address the IP address that the connection comes from
 * @param connection the same object for all requests of one connection, and for no others
 */
public record Caller(String address, Object connection) {

  static Caller of(Context context) {
    var request = context.req();
    return new Caller(
        request.getRemoteAddr(),
        ServletContextRequest.getServletContextRequest(request)
            .getConnectionMetaData()
            .getConnection());
  }
}
