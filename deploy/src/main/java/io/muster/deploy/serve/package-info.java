/** The long-running program: every role wired together by constructors. */
package io.muster.deploy.serve;
