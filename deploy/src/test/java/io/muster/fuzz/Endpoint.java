package io.muster.fuzz;

import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.javalin.config.JavalinConfig;
import io.javalin.config.JavalinState;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.jetty.ee10.servlet.ServletApiRequest;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;

/** Handlers of an HTTP endpoint, called in the thread of the test: no port, no server. */
final class Endpoint {

  private final Map<String, Handler> handlers = new HashMap<>();
  private final ServletApiRequest request = mock(withSettings().stubOnly());

  /**
   * @param routes adds them to a configuration
   */
  Endpoint(Consumer<JavalinConfig> routes) {
    var state = new JavalinState();
    routes.accept(new JavalinConfig(state));
    state
        .internalRouter
        .allHttpHandlers()
        .forEach(route -> handlers.put(route.endpoint.path, route.endpoint.handler));
    ServletContextRequest connection =
        mock(withSettings().stubOnly().defaultAnswer(RETURNS_DEEP_STUBS));
    when(request.getServletRequestInfo()).thenReturn(connection);
    when(request.getRemoteAddr()).thenReturn("10.0.0.1");
  }

  /** What is answered at once. */
  @SuppressWarnings("ArrayRecordComponent") // made, read and forgotten
  record Answer(int status, byte[] body) {}

  Answer post(String path, byte[] body) throws Exception {
    var call = new Call(request, body);
    handlers
        .get(path)
        .handle(
            (Context)
                Proxy.newProxyInstance(
                    Endpoint.class.getClassLoader(),
                    new Class<?>[] {Context.class},
                    (self, method, arguments) ->
                        call.answer((Context) self, method.getName(), arguments)));
    return new Answer(call.status, call.out.toByteArray());
  }

  /** The part of a request that handlers of Muster ask for. */
  private static final class Call {

    private final ServletApiRequest request;
    private final byte[] body;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int status = 200;

    Call(ServletApiRequest request, byte[] body) {
      this.request = request;
      this.body = body;
    }

    Object answer(Context self, String method, Object[] arguments) throws Exception {
      return switch (method) {
        case "req" -> request;
        case "contentLength" -> body.length;
        case "bodyInputStream" -> new ByteArrayInputStream(body);
        case "outputStream" -> stream();
        case "contentType" -> self;
        case "status" -> {
          status = (int) arguments[0];
          yield self;
        }
        case "result" -> {
          out.write((byte[]) arguments[0]);
          yield self;
        }
        case "future" -> {
          var future = (CompletableFuture<?>) ((Supplier<?>) arguments[0]).get();
          // A call that is held is answered later, or never.
          if (!future.isDone()) {
            status = 0;
          }
          yield null;
        }
        default -> throw new UnsupportedOperationException(method);
      };
    }

    private ServletOutputStream stream() {
      return new ServletOutputStream() {
        @Override
        public boolean isReady() {
          return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {}

        @Override
        public void write(int one) {
          out.write(one);
        }
      };
    }
  }
}
